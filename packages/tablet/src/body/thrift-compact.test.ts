import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeThrift, encodeThrift, MalformedThrift, type ThriftStruct, WIRE } from './thrift-compact.ts';

const bytes = fc.uint8Array({ maxLength: 40 });
const scalar = fc.oneof(
  fc.integer({ min: -128, max: 127 }).map((value) => ({ wire: WIRE.byte as number, value })),
  fc.integer({ min: -32768, max: 32767 }).map((value) => ({ wire: WIRE.i16 as number, value })),
  fc.integer().map((value) => ({ wire: WIRE.i32 as number, value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ wire: WIRE.i64 as number, value })),
  fc.uint8Array({ minLength: 8, maxLength: 8 }).map((value) => ({ wire: WIRE.double as number, value })),
  bytes.map((value) => ({ wire: WIRE.binary as number, value })),
  fc.boolean().map((value) => ({ wire: value ? WIRE.true : WIRE.false, value })),
);
const { struct } = fc.letrec<{ struct: ThriftStruct; field: { wire: number; value: never } }>((tie) => ({
  struct: fc
    .uniqueArray(fc.tuple(fc.integer({ min: -300, max: 300 }), tie('field')), {
      selector: ([id]) => id,
      maxLength: 6,
    })
    .map((fields) => new Map(fields)),
  field: fc.oneof(
    { maxDepth: 3 },
    scalar,
    tie('struct').map((value) => ({ wire: WIRE.struct, value })),
    fc.array(tie('struct'), { maxLength: 20 }).map((values) => ({
      wire: WIRE.list,
      value: { elementWire: WIRE.struct, values },
    })),
    fc.array(fc.integer(), { maxLength: 20 }).map((values) => ({
      wire: WIRE.list,
      value: { elementWire: WIRE.i32, values },
    })),
    fc.array(fc.boolean(), { maxLength: 20 }).map((values) => ({
      wire: WIRE.list,
      value: { elementWire: WIRE.true, values },
    })),
  ) as fc.Arbitrary<{ wire: number; value: never }>,
}));

/** Replaces views of shared memory by their content for comparison. */
const plain = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(([id, field]) => [id, field.wire, plain(field.value)]);
  if (value instanceof Uint8Array) return [...value];
  if (typeof value === 'object' && value !== null && 'values' in value)
    return (value.values as unknown[]).map(plain);
  return value;
};

describe('thrift compact protocol', () => {
  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(struct, (value) => {
        expect(plain(decodeThrift(encodeThrift(value)))).toEqual(plain(value));
      }),
      { numRuns: 300 },
    );
  });

  it('reports malformed bytes with one kind of error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (input) => {
        try {
          decodeThrift(input);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedThrift);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('refuses deep nesting and long lists', () => {
    expect(() => decodeThrift(new Uint8Array(1000).fill((1 << 4) | WIRE.struct))).toThrow('nested too deep');
    const list = [(1 << 4) | WIRE.list, 0xf0 | WIRE.byte, 0xff, 0xff, 0xff, 0x7f];
    expect(() => decodeThrift(Uint8Array.from(list))).toThrow('longer than the bytes');
  });
});
