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
const at = (position: string): string => `tsr_city_fetch64(tsr_z.s, ${position})`;
const hash16 = (u: string, v: string): string => `tsr_city_hash16(${u}, ${v})`;

type Variables = Readonly<Record<string, string>>;

/**
 * A sequence of assignment steps. Each step sees the variables of the previous ones as `tsr_z.name` and keeps
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
    const kept = Object.fromEntries(Object.keys(known).map((name) => [name, `tsr_z.${name}`]));
    known = { ...kept, ...step };
    nested = `list_transform(${nested}, tsr_z -> ${struct(known)})`;
  }
  return `list_transform(${nested}, tsr_z -> ${result})[1]`;
}

/** WeakHashLen32WithSeeds of the 32 bytes at `position`, as a struct with the fields `first` and `second`. */
const weakHash = (position: string, a: string, b: string): string =>
  `tsr_city_weak(tsr_z.s, ${position}, ${a}, ${b})`;

export const CITY_HASH_MACROS: Readonly<Record<string, readonly string[]>> = {
  city_string: [
    "(h) AS {'r': array_to_string(list_reverse(regexp_extract_all(h, '..')), ''), 'n': length(h) // 2}",
  ],
  city_fetch64: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 8) + 1, 16))::UBIGINT"],
  city_fetch32: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 4) + 1, 8))::UBIGINT"],
  city_byte: ["(s, i) AS ('0x' || substring(s.r, 2 * (s.n - (i) - 1) + 1, 2))::UBIGINT"],
  city_rotate: [
    `(x, n) AS ${stages({ x: 'x', n: 'n::UBIGINT' }, [], `(tsr_z.x >> tsr_z.n) | (((tsr_z.x::UHUGEINT << (64 - tsr_z.n)::UHUGEINT) & ${MASK})::UBIGINT)`)}`,
  ],
  city_mix: [`(x) AS ${stages({ x: 'x' }, [], 'xor(tsr_z.x, tsr_z.x >> 47)')}`],
  city_hash16: [
    `(u, v) AS ${stages(
      { u: 'u', v: 'v' },
      [{ a: mul('xor(tsr_z.u, tsr_z.v)', K_MUL) }, { b: mul(`xor(tsr_z.v, ${mix('tsr_z.a')})`, K_MUL) }],
      mul(mix('tsr_z.b'), K_MUL),
    )}`,
  ],
  city_to_16: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [],
      `CASE WHEN tsr_z.n > 8 THEN xor(${hash16(at('0'), rotate(add(at('tsr_z.s.n - 8'), 'tsr_z.n'), 'tsr_z.s.n'))}, ${at('tsr_z.s.n - 8')})
        WHEN tsr_z.n >= 4 THEN ${hash16('tsr_z.n + (tsr_city_fetch32(tsr_z.s, 0) << 3)', 'tsr_city_fetch32(tsr_z.s, tsr_z.s.n - 4)')}
        WHEN tsr_z.n > 0 THEN ${mul(
          mix(
            `xor(${mul('tsr_city_byte(tsr_z.s, 0) + (tsr_city_byte(tsr_z.s, tsr_z.s.n >> 1) << 8)', K2)},
              ${mul('tsr_z.n + (tsr_city_byte(tsr_z.s, tsr_z.s.n - 1) << 2)', K3)})`,
          ),
          K2,
        )}
        ELSE ${K2} END`,
    )}`,
  ],
  city_to_32: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [
        {
          a: mul(at('0'), K1),
          b: at('8'),
          c: mul(at('tsr_z.s.n - 8'), K2),
          d: mul(at('tsr_z.s.n - 16'), K0),
        },
      ],
      hash16(
        add(rotate(sub('tsr_z.a', 'tsr_z.b'), 43), rotate('tsr_z.c', 30), 'tsr_z.d'),
        add(sub(add('tsr_z.a', rotate(`xor(tsr_z.b, ${K3})`, 20)), 'tsr_z.c'), 'tsr_z.n'),
      ),
    )}`,
  ],
  city_half: [
    // Both halves of HashLen33to64 have the same form. The arguments are `a`, `z` and the next two numbers;
    // the result has `first` and `second`.
    `(a, e, f, g) AS ${stages(
      { a: 'a', e: 'e', f: 'f', g: 'g' },
      [
        { b: rotate(add('tsr_z.a', 'tsr_z.e'), 52), c: rotate('tsr_z.a', 37), a: add('tsr_z.a', 'tsr_z.f') },
        { c: add('tsr_z.c', rotate('tsr_z.a', 7)), a: add('tsr_z.a', 'tsr_z.g') },
      ],
      `{'first': ${add('tsr_z.a', 'tsr_z.e')}, 'second': ${add('tsr_z.b', rotate('tsr_z.a', 31), 'tsr_z.c')}}`,
    )}`,
  ],
  city_to_64: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [
        {
          v: `tsr_city_half(${add(at('0'), mul(add('tsr_z.n', at('tsr_z.s.n - 16')), K0))}, ${at('24')}, ${at('8')}, ${at('16')})`,
          w: `tsr_city_half(${add(at('16'), at('tsr_z.s.n - 32'))}, ${at('tsr_z.s.n - 8')}, ${at('tsr_z.s.n - 24')}, ${at('tsr_z.s.n - 16')})`,
        },
        {
          x: mix(
            add(
              mul(add('tsr_z.v.first', 'tsr_z.w.second'), K2),
              mul(add('tsr_z.w.first', 'tsr_z.v.second'), K0),
            ),
          ),
        },
      ],
      mul(mix(add(mul('tsr_z.x', K0), 'tsr_z.v.second')), K2),
    )}`,
  ],
  city_weak: [
    `(s, i, a, b) AS ${stages(
      { s: 's', i: 'i', a: 'a', b: 'b' },
      [
        { a: add('tsr_z.a', at('tsr_z.i')), e: at('tsr_z.i + 24') },
        {
          b: rotate(add('tsr_z.b', 'tsr_z.a', 'tsr_z.e'), 21),
          c: 'tsr_z.a',
          a: add('tsr_z.a', at('tsr_z.i + 8'), at('tsr_z.i + 16')),
        },
      ],
      `{'first': ${add('tsr_z.a', 'tsr_z.e')}, 'second': ${add('tsr_z.b', rotate('tsr_z.a', 44), 'tsr_z.c')}}`,
    )}`,
  ],
  // One round over the 64 bytes at a position. Its result has x and z already swapped.
  city_round: [
    `(s, tsr_state, start) AS ${stages(
      {
        s: 's',
        i: 'start',
        x: 'tsr_state.x',
        y: 'tsr_state.y',
        k: 'tsr_state.k',
        v: 'tsr_state.v',
        w: 'tsr_state.w',
      },
      [
        {
          x: mul(rotate(add('tsr_z.x', 'tsr_z.y', 'tsr_z.v.first', at('tsr_z.i + 16')), 37), K1),
          y: mul(rotate(add('tsr_z.y', 'tsr_z.v.second', at('tsr_z.i + 48')), 42), K1),
          k: rotate('xor(tsr_z.k, tsr_z.w.first)', 33),
        },
        { x: 'xor(tsr_z.x, tsr_z.w.second)', y: 'xor(tsr_z.y, tsr_z.v.first)' },
        {
          v: weakHash('tsr_z.i', mul('tsr_z.v.second', K1), add('tsr_z.x', 'tsr_z.w.first')),
          w: weakHash('tsr_z.i + 32', add('tsr_z.k', 'tsr_z.w.second'), 'tsr_z.y'),
        },
      ],
      "{'i': tsr_z.i, 'x': tsr_z.k, 'y': tsr_z.y, 'k': tsr_z.x, 'v': tsr_z.v, 'w': tsr_z.w}",
    )}`,
  ],
  city_long: [
    `(s) AS ${stages(
      { s: 's', n: 's.n::UBIGINT' },
      [
        { x: at('0'), y: `xor(${at('tsr_z.s.n - 16')}, ${K1})`, k: `xor(${at('tsr_z.s.n - 56')}, ${K0})` },
        {
          v: weakHash('tsr_z.s.n - 64', 'tsr_z.n', 'tsr_z.y'),
          w: weakHash('tsr_z.s.n - 32', mul('tsr_z.n', K1), K0),
        },
        { k: add('tsr_z.k', mul(mix('tsr_z.v.second'), K1)) },
        { x: mul(rotate(add('tsr_z.k', 'tsr_z.x'), 39), K1), y: mul(rotate('tsr_z.y', 33), K1) },
        {
          end: `list_reduce(
            list_transform(range(-64, ((tsr_z.s.n - 1) // 64) * 64, 64), i -> {'i': i, 'x': tsr_z.x, 'y': tsr_z.y, 'k': tsr_z.k, 'v': tsr_z.v, 'w': tsr_z.w}),
            (tsr_state, tsr_next) -> tsr_city_round(tsr_z.s, tsr_state, tsr_next.i))`,
        },
      ],
      hash16(
        add(hash16('tsr_z.end.v.first', 'tsr_z.end.w.first'), mul(mix('tsr_z.end.y'), K1), 'tsr_z.end.k'),
        add(hash16('tsr_z.end.v.second', 'tsr_z.end.w.second'), 'tsr_z.end.x'),
      ),
    )}`,
  ],
  city_hash64: [
    `(h) AS ${stages(
      { s: 'tsr_city_string(h)' },
      [],
      `CASE WHEN tsr_z.s.n <= 16 THEN tsr_city_to_16(tsr_z.s) WHEN tsr_z.s.n <= 32 THEN tsr_city_to_32(tsr_z.s)
        WHEN tsr_z.s.n <= 64 THEN tsr_city_to_64(tsr_z.s) ELSE tsr_city_long(tsr_z.s) END`,
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
