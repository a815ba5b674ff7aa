import type { DeletionVector } from '@tessera/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeletedRows } from './deleted-rows.ts';
import { deletedRowsOf, extendedVector, vectorContent } from './vector-content.ts';

const positions = fc.array(
  fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 200_000 }), fc.nat({ max: 0xffff_fffe })),
);
const sorted = (input: Iterable<number>) => [...new Set(input)].sort((a, b) => a - b);

describe('deleted rows', () => {
  it('are a set, whatever order they come in', () => {
    fc.assert(
      fc.property(positions, positions, fc.nat({ max: 300 }), (a, b, from) => {
        const [x, y] = [DeletedRows.of(a), DeletedRows.of(b)];
        expect([...x.positions()]).toEqual(sorted(a));
        const both = y.addedTo(x.encode(), x.rows);
        expect([...DeletedRows.decode(both.bytes, both.rows).positions()]).toEqual(sorted([...a, ...b]));
        for (const position of [...b, from]) expect(x.has(position)).toBe(a.includes(position));
        expect(x.countIn(from, from + 50)).toBe(sorted(a).filter((p) => p >= from && p < from + 50).length);
        const ranges = [...x.ranges()];
        expect(
          ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
        ).toEqual(sorted(a));
        expect(x.rangeCount).toBe(ranges.length);
        for (let i = 1; i < ranges.length; i++) expect(ranges[i]!.start).toBeGreaterThan(ranges[i - 1]!.end);
        const within = ranges.flatMap(({ start, end }) => {
          const [first, next] = [Math.max(start, from), Math.min(end, from + 50)];
          return first < next ? [{ start: first, end: next }] : [];
        });
        expect([...x.ranges(from, from + 50)]).toEqual(within);
      }),
    );
  });

  it('are read back from the catalog, inline or as an object', () => {
    fc.assert(
      fc.property(positions, (input) => {
        const deleted = DeletedRows.of(input);
        expect([...DeletedRows.decode(deleted.encode(), deleted.rows).positions()]).toEqual(sorted(input));
      }),
    );
    const few = vectorContent(DeletedRows.of([1, 5, 70_000]));
    if (!('inline' in few)) throw new Error('three rows need no object');
    const vector = { tabletId: 't', tableId: 'u' } as unknown as DeletionVector;
    expect([...deletedRowsOf({ ...vector, ...few }).positions()]).toEqual([1, 5, 70_000]);
    const many = vectorContent(DeletedRows.of(Array.from({ length: 9000 }, (_, i) => i * 3)));
    if (!('object' in many)) throw new Error('many scattered rows need an object');
    expect(deletedRowsOf({ ...vector, rows: 9000, key: 'k' }, many.object).rows).toBe(9000);
    const more = extendedVector({ ...vector, rows: 9000, key: 'k' }, many.object, DeletedRows.of([3, 4]));
    if (!('object' in more)) throw new Error('one row more needs an object too');
    expect(deletedRowsOf({ ...vector, rows: 9001, key: 'k' }, more.object).countIn(0, 7)).toBe(4);
    expect(() => deletedRowsOf({ ...vector, rows: 9000, key: 'k' })).toThrow('no bytes');
  });

  it('in runs take a few bytes', () => {
    const run = DeletedRows.of(Array.from({ length: 1_000_000 }, (_, i) => i));
    expect(run.encode().length).toBeLessThan(300);
    expect([...run.ranges()]).toEqual([{ start: 0, end: 1_000_000 }]);
  });

  it('are written in the format that other implementations of roaring bitmaps read', () => {
    // The format's specification defines: cookie 12346, one container of key 0, cardinality - 1, its offset, the
    // values.
    expect([...DeletedRows.of([1, 1000]).encode()]).toEqual([
      ...[0x3a, 0x30, 0, 0, 1, 0, 0, 0],
      ...[0, 0, 1, 0, 16, 0, 0, 0],
      ...[1, 0, 0xe8, 3],
    ]);
  });

  it('are refused when damaged', () => {
    const bytes = DeletedRows.of([1, 2, 9, 100_000]).encode();
    for (let length = 0; length < bytes.length; length++)
      expect(() => DeletedRows.decode(bytes.subarray(0, length), 4)).toThrow(RangeError);
    expect(() => DeletedRows.decode(bytes, 5)).toThrow('holds 4 rows, not 5');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (input) => {
        try {
          DeletedRows.decode(input, 3);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
