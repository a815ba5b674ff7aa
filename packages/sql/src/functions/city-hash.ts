import { internalCall, kernelCall } from './expressions.ts';
import type { Implementation } from './types.ts';

/**
 * CityHash64 of version 1.0.2 (later versions differ) in expressions of the kernel, over UBIGINT.
 * A string is `{r, n}`: `r` is its bytes in reverse order in hexadecimal, `n` their number. So eight bytes at
 * a position can be read as one little-endian number. Lambdas over arrays of one element bind values that are
 * used more than once, and structs carry the variables of the reference implementation under their original
 * names.
 */
const K0 = '14097894508562428199::UBIGINT';
const K1 = '13011662864482103923::UBIGINT';
const K2 = '11160318154034397263::UBIGINT';
const K3 = '14504361325974414679::UBIGINT';
const K_MUL = '11376068507788127593::UBIGINT';
const MASK = '18446744073709551615::UHUGEINT';

const add = (first: string, ...others: readonly string[]): string =>
  `((${[first, ...others].map((x) => `(${x})::UHUGEINT`).join(' + ')}) & ${MASK})::UBIGINT`;
const sub = (a: string, b: string): string =>
  `(((${a})::UHUGEINT + 18446744073709551616::UHUGEINT - (${b})::UHUGEINT) & ${MASK})::UBIGINT`;
const mul = (a: string, b: string): string => `(((${a})::UHUGEINT * (${b})::UHUGEINT) & ${MASK})::UBIGINT`;
const rotate = (x: string, n: number | string): string => `tsr_city_rotate(${x}, ${n})`;
const mix = (x: string): string => `tsr_city_mix(${x})`;
const at = (position: string): string => `tsr_city_fetch64(z.s, ${position})`;
const hash16 = (u: string, v: string): string => `tsr_city_hash16(${u}, ${v})`;

type Variables = Readonly<Record<string, string>>;

/**
 * A sequence of assignment steps. Each step sees the variables of the previous ones as `z.name` and keeps
 * those that it does not assign.
 */
function stages(start: Variables, steps: readonly Variables[], result: string): string {
  const struct = (variables: Variables) =>
    `{${Object.entries(variables)
      .map(([name, value]) => `'${name}': ${value}`)
      .join(', ')}}`;
  let known = start;
  let nested = `[${struct(start)}]`;
  for (const step of steps) {
    const kept = Object.fromEntries(Object.keys(known).map((name) => [name, `z.${name}`]));
    known = { ...kept, ...step };
    nested = `list_transform(${nested}, z -> ${struct(known)})`;
  }
  return `list_transform(${nested}, z -> ${result})[1]`;
}

/** WeakHashLen32WithSeeds of the 32 bytes at `position`, as a struct with the fields `first` and `second`. */
const weakHash = (position: string, a: string, b: string): string =>
  `tsr_city_weak(z.s, ${position}, ${a}, ${b})`;

export const CITY_HASH_MACROS: Readonly<Record<string, readonly string[]>> = {
  city_string: [
    "(h) AS {'r': array_to_string(list_reverse(regexp_extract_all(h, '..')), ''), 'n': length(h) // 2}",
  ],
  city_fetch64: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 8) + 1, 16))::UBIGINT"],
  city_fetch32: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 4) + 1, 8))::UBIGINT"],
  city_byte: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 1) + 1, 2))::UBIGINT"],
  city_rotate: [
    `(x, n) AS ${stages({ x: 'x', n: 'n::UBIGINT' }, [], `(z.x >> z.n) | (((z.x::UHUGEINT << (64 - z.n)::UHUGEINT) & ${MASK})::UBIGINT)`)}`,
  ],
  city_mix: [`(x) AS ${stages({ x: 'x' }, [], 'xor(z.x, z.x >> 47)')}`],
  city_hash16: [
    `(u, v) AS ${stages(
      { u: 'u', v: 'v' },
      [{ a: mul('xor(z.u, z.v)', K_MUL) }, { b: mul(`xor(z.v, ${mix('z.a')})`, K_MUL) }],
      mul(mix('z.b'), K_MUL),
    )}`,
  ],
  city_to_16: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [],
      `CASE WHEN z.n > 8 THEN xor(${hash16(at('0'), rotate(add(at('z.s.n - 8'), 'z.n'), 'z.s.n'))}, ${at('z.s.n - 8')})
        WHEN z.n >= 4 THEN ${hash16('z.n + (tsr_city_fetch32(z.s, 0) << 3)', 'tsr_city_fetch32(z.s, z.s.n - 4)')}
        WHEN z.n > 0 THEN ${mul(
          mix(
            `xor(${mul('tsr_city_byte(z.s, 0) + (tsr_city_byte(z.s, z.s.n >> 1) << 8)', K2)},
              ${mul('z.n + (tsr_city_byte(z.s, z.s.n - 1) << 2)', K3)})`,
          ),
          K2,
        )}
        ELSE ${K2} END`,
    )}`,
  ],
  city_to_32: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [{ a: mul(at('0'), K1), b: at('8'), c: mul(at('z.s.n - 8'), K2), d: mul(at('z.s.n - 16'), K0) }],
      hash16(
        add(rotate(sub('z.a', 'z.b'), 43), rotate('z.c', 30), 'z.d'),
        add(sub(add('z.a', rotate(`xor(z.b, ${K3})`, 20)), 'z.c'), 'z.n'),
      ),
    )}`,
  ],
  city_half: [
    // Both halves of HashLen33to64 have the same form. The arguments are `a`, `z` and the next two numbers;
    // the result has `first` and `second`.
    `(a, e, f, g) AS ${stages(
      { a: 'a', e: 'e', f: 'f', g: 'g' },
      [
        { b: rotate(add('z.a', 'z.e'), 52), c: rotate('z.a', 37), a: add('z.a', 'z.f') },
        { c: add('z.c', rotate('z.a', 7)), a: add('z.a', 'z.g') },
      ],
      `{'first': ${add('z.a', 'z.e')}, 'second': ${add('z.b', rotate('z.a', 31), 'z.c')}}`,
    )}`,
  ],
  city_to_64: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [
        {
          v: `tsr_city_half(${add(at('0'), mul(add('z.n', at('z.s.n - 16')), K0))}, ${at('24')}, ${at('8')}, ${at('16')})`,
          w: `tsr_city_half(${add(at('16'), at('z.s.n - 32'))}, ${at('z.s.n - 8')}, ${at('z.s.n - 24')}, ${at('z.s.n - 16')})`,
        },
        { x: mix(add(mul(add('z.v.first', 'z.w.second'), K2), mul(add('z.w.first', 'z.v.second'), K0))) },
      ],
      mul(mix(add(mul('z.x', K0), 'z.v.second')), K2),
    )}`,
  ],
  city_weak: [
    `(s, i, a, b) AS ${stages(
      { s: 's', i: 'i', a: 'a', b: 'b' },
      [
        { a: add('z.a', at('z.i')), e: at('z.i + 24') },
        { b: rotate(add('z.b', 'z.a', 'z.e'), 21), c: 'z.a', a: add('z.a', at('z.i + 8'), at('z.i + 16')) },
      ],
      `{'first': ${add('z.a', 'z.e')}, 'second': ${add('z.b', rotate('z.a', 44), 'z.c')}}`,
    )}`,
  ],
  // One round over the 64 bytes at a position. Its result has x and z already swapped.
  city_round: [
    `(s, state, start) AS ${stages(
      { s: 's', i: 'start', x: 'state.x', y: 'state.y', k: 'state.k', v: 'state.v', w: 'state.w' },
      [
        {
          x: mul(rotate(add('z.x', 'z.y', 'z.v.first', at('z.i + 16')), 37), K1),
          y: mul(rotate(add('z.y', 'z.v.second', at('z.i + 48')), 42), K1),
          k: rotate('xor(z.k, z.w.first)', 33),
        },
        { x: 'xor(z.x, z.w.second)', y: 'xor(z.y, z.v.first)' },
        {
          v: weakHash('z.i', mul('z.v.second', K1), add('z.x', 'z.w.first')),
          w: weakHash('z.i + 32', add('z.k', 'z.w.second'), 'z.y'),
        },
      ],
      "{'i': z.i, 'x': z.k, 'y': z.y, 'k': z.x, 'v': z.v, 'w': z.w}",
    )}`,
  ],
  city_long: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [
        { x: at('0'), y: `xor(${at('z.s.n - 16')}, ${K1})`, k: `xor(${at('z.s.n - 56')}, ${K0})` },
        {
          v: weakHash('z.s.n - 64', 'z.n', 'z.y'),
          w: weakHash('z.s.n - 32', mul('z.n', K1), K0),
        },
        { k: add('z.k', mul(mix('z.v.second'), K1)) },
        { x: mul(rotate(add('z.k', 'z.x'), 39), K1), y: mul(rotate('z.y', 33), K1) },
        {
          end: `list_reduce(
            list_transform(range(-64, ((z.s.n - 1) // 64) * 64, 64), i -> {'i': i, 'x': z.x, 'y': z.y, 'k': z.k, 'v': z.v, 'w': z.w}),
            (state, next) -> tsr_city_round(z.s, state, next.i))`,
        },
      ],
      hash16(
        add(hash16('z.end.v.first', 'z.end.w.first'), mul(mix('z.end.y'), K1), 'z.end.k'),
        add(hash16('z.end.v.second', 'z.end.w.second'), 'z.end.x'),
      ),
    )}`,
  ],
  city_hash64: [
    `(h) AS ${stages(
      { s: 'tsr_city_string(h)' },
      [],
      `CASE WHEN z.s.n <= 16 THEN tsr_city_to_16(z.s) WHEN z.s.n <= 32 THEN tsr_city_to_32(z.s)
        WHEN z.s.n <= 64 THEN tsr_city_to_64(z.s) ELSE tsr_city_long(z.s) END`,
    )}`,
  ],
  city_bytes: ["(x) AS CASE WHEN typeof(x) = 'BLOB' THEN hex(x::VARCHAR::BLOB) ELSE hex(x::VARCHAR) END"],
  // The expressions of the hash take the kernel half a second to bind: it binds them once, however many texts there are.
  city_hashes: [
    `(hs) AS list_reduce(list_transform(hs, h -> CASE WHEN h IS NULL THEN NULL ELSE tsr_city_hash64(h) END),
      (joined, next) -> tsr_city_hash16(joined, next))`,
  ],
};

/**
 * The hashes of several arguments are combined with the 128-to-64-bit hash. If any argument is NULL, so is
 * the result.
 */
export const CITY_HASH: Implementation = {
  kind: 'rewrite',
  arity: [1, Number.POSITIVE_INFINITY],
  rewrite: ({ children }) =>
    internalCall(
      'signed',
      internalCall(
        'city_hashes',
        kernelCall('list_value', ...children.map((argument) => internalCall('city_bytes', argument))),
      ),
    ),
};
