import type { ObjectId, Tablet, TabletId } from '@tessera/catalog';
import { describe, expect, it } from 'vitest';
import { orderOf } from '../values/order.ts';
import { assignByKeys, KeyPlacement } from './assign-by-keys.ts';
import type { KeyRange, TabletKeys } from './key-range.ts';
import { keySpaceOf } from './key-space.ts';
import { type KeyedRows, splitKeys } from './split-keys.ts';

const namesOf = (count: number, seed = 0) =>
  Array.from({ length: count }, (_, i) => `10.${seed}.0.${i}:5678`);

/** The granules of a sorted table with this many rows and keys from 1 to `last`. */
const even = (granules: number, last: number, rows = 122_880): KeyedRows[] =>
  Array.from({ length: granules }, (_, i) => ({
    min: String(Math.floor((i * last) / granules) + 1),
    max: String(Math.floor(((i + 1) * last) / granules)),
    rows,
  }));

const placementOf = (type: string, parts: readonly KeyedRows[], names: readonly string[]) =>
  new KeyPlacement(type, splitKeys(type, parts, names.length), names);

function rowsByNode({ ranges, nodes, names }: KeyPlacement): number[] {
  const sums = names.map(() => 0);
  for (const [i, { rows }] of ranges.entries()) sums[nodes[i]!]! += rows;
  return sums;
}

const imbalance = (rows: readonly number[]) =>
  Math.max(...rows) / (rows.reduce((a, b) => a + b, 0) / rows.length);

/** Compares two values of a type, given as the kernel's VARCHAR. */
function compareValues(type: string, a: string, b: string): number {
  const order = orderOf(type)!;
  return order.compare(order.parse(a)!, order.parse(b)!);
}

/** The node of a key. */
function nodeOf(type: string, { ranges, nodes, names }: KeyPlacement, key: string): string {
  const after = ranges.findIndex(({ from }, i) => i > 0 && compareValues(type, from!, key) > 0);
  return names[nodes[after === -1 ? ranges.length - 1 : after - 1]!]!;
}

const isWithin = (type: string, ranges: readonly KeyRange[], key: string | null) =>
  ranges.some(({ from, to }) =>
    key === null
      ? from === undefined
      : (from === undefined || compareValues(type, from, key) <= 0) &&
        (to === undefined || compareValues(type, key, to) < 0),
  );

describe('integer keys', () => {
  it.each([
    ['BIGINT', ['-9223372036854775808', '-1', '0', '7', '9223372036854775807']],
    ['DECIMAL(18,3)', ['-12.500', '-0.001', '0.000', '0.010', '999.999']],
    ['DATE', ['0044-03-15 (BC)', '1969-12-31', '1970-01-01', '2024-02-29', '12024-01-01']],
    ['TIMESTAMP', ['1969-12-31 23:59:59.999999', '1970-01-01 00:00:00.000000', '2024-02-29 12:34:56.789000']],
    ['TIMESTAMPTZ', ['1969-12-31 23:59:59.999999+00', '2024-02-29 12:34:56.789000+00']],
    ['UUID', ['00000000-0000-0000-0000-000000000001', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6']],
    ['VARCHAR', ['', 'a', 'ab', 'b', 'customer']],
  ])('%s', (type, values) => {
    const space = keySpaceOf(type)!;
    const positions = values.map((value) => space.position(value)!);
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    const texts = positions.map((position) => space.textAt(position));
    for (const [i, text] of texts.slice(0, type === 'VARCHAR' ? -1 : undefined).entries())
      expect(compareValues(type, text, values[i]!)).toBe(0);
  });

  it('exist only for types whose values can be halved', () => {
    for (const type of ['DOUBLE', 'BOOLEAN', 'BLOB', 'BIGINT[]']) expect(keySpaceOf(type)).toBeUndefined();
    expect(splitKeys('DOUBLE', [{ min: '1', max: '9', rows: 100 }], 4)).toHaveLength(1);
  });
});

describe('ranges of keys on nodes', () => {
  const uniform: readonly [string, KeyedRows[]][] = [
    ['6 million rows', even(49, 6_000_000)],
    ['two granules', even(2, 200_000)],
    ['one granule of a sequence that began late', [{ min: '7000001', max: '7100000', rows: 100_000 }]],
    ['negative and positive keys', [{ min: '-900000', max: '1000000', rows: 500_000 }]],
  ];

  it.each(uniform)('are even: %s', (_, parts) => {
    for (const nodes of [2, 3, 4, 5, 7, 8, 16, 40]) {
      const placement = placementOf('BIGINT', parts, namesOf(nodes));
      expect(imbalance(rowsByNode(placement))).toBeLessThan(1.16);
    }
  });

  it.each(uniform)('move little more than they must when a node goes: %s', (_, parts) => {
    for (const nodes of [3, 4, 5]) {
      let moved = 0;
      for (let seed = 0; seed < 8; seed++) {
        const names = namesOf(nodes, seed);
        const more = placementOf('BIGINT', parts, names);
        const less = placementOf('BIGINT', parts, names.toSpliced(seed % nodes, 1));
        for (const [i, { from = '-999999999', rows }] of more.ranges.entries())
          if (nodeOf('BIGINT', less, from) !== more.names[more.nodes[i]!]) moved += rows;
      }
      const all = parts.reduce((sum, { rows }) => sum + rows, 0) * 8;
      expect(moved / all).toBeLessThan(1 / nodes + 0.15);
    }
  });

  it('stay when rows come between the others, and nearly all stay when they come at the end', () => {
    const parts = even(49, 6_000_000);
    const names = namesOf(4);
    const before = placementOf('BIGINT', parts, names);
    const among = placementOf('BIGINT', [...parts, { min: '5', max: '5999000', rows: 2_000 }], names);
    for (const name of names) expect(among.idOf(name)).toBe(before.idOf(name));
    const longer = placementOf('BIGINT', even(52, (6_000_000 * 52) / 49), names);
    const keys = Array.from({ length: 1_000 }, (_, i) => String(i * 6_000 + 1));
    const moved = keys.filter((key) => nodeOf('BIGINT', before, key) !== nodeOf('BIGINT', longer, key));
    expect(moved.length).toBeLessThan(100);
  });

  it('follow the rows where keys are skewed, and one heavy key is alone with what it has', () => {
    const dense = { min: '1000', max: '1999', rows: 900_000 };
    const sparse = { min: '1', max: '1000000000', rows: 100_000 };
    expect(imbalance(rowsByNode(placementOf('BIGINT', [dense, sparse], namesOf(4))))).toBeLessThan(1.16);
    const heavy = { min: '4711', max: '4711', rows: 500_000 };
    const placement = placementOf('BIGINT', [...even(4, 100_000), heavy], namesOf(4));
    const of = placement.ranges.findIndex(({ rows }) => rows > 490_000);
    const [from, to] = [placement.ranges[of]!.from, placement.ranges[of + 1]!.from];
    expect(Number(to) - Number(from)).toBeLessThan(5_000);
    const rows = rowsByNode(placement);
    const others = rows.filter((_, node) => node !== placement.nodes[of]);
    expect(imbalance(others)).toBeLessThan(1.25);
  });

  it('are even for texts and dates', () => {
    const customers = Array.from({ length: 20 }, (_, i) => ({
      min: `Customer#${String(i * 7_500).padStart(9, '0')}`,
      max: `Customer#${String(i * 7_500 + 7_499).padStart(9, '0')}`,
      rows: 7_500,
    }));
    expect(imbalance(rowsByNode(placementOf('VARCHAR', customers, namesOf(4))))).toBeLessThan(1.2);
    const days = [{ min: '1992-01-01', max: '1998-08-02', rows: 1_500_000 }];
    expect(imbalance(rowsByNode(placementOf('DATE', days, namesOf(3))))).toBeLessThan(1.16);
    const words = [{ min: 'a', max: 'zzz\u{10ffff}', rows: 1000 }];
    for (const { from } of splitKeys('VARCHAR', words, 4).slice(1))
      expect([...from!].every((character) => character > '\0' && character < '\u0080')).toBe(true);
  });
});

let nextId = 0;
const tabletOf = (rows: number, min?: string, max?: string, nulls = 0): Tablet => ({
  id: `01K${String(nextId++).padStart(23, '0')}` as TabletId,
  tableId: 't' as ObjectId,
  schemaVersion: 1,
  layout: 'compact',
  rows,
  bytes: rows * 40,
  uncompressedBytes: rows * 100,
  granules: 1,
  headerOffset: 0,
  footerOffset: 0,
  tailCrc32c: 0,
  partition: [],
  statistics: [{ column: 3, nulls, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }],
  createdAt: '',
});

interface Chosen {
  readonly tablet: Tablet;
  readonly keys?: TabletKeys;
}

describe('tablets by keys', () => {
  const nodes = namesOf(3).map((name) => ({ name }));
  const placement = placementOf('BIGINT', even(20, 100_000), namesOf(3));

  it('assign each key of each tablet to the node of that key', () => {
    const tablets: Chosen[] = [
      ...Array.from({ length: 10 }, (_, i) => tabletOf(10_000, `${i * 10_000 + 1}`, `${(i + 1) * 10_000}`)),
      ...Array.from({ length: 30 }, (_, i) => tabletOf(20, `${i}`, `${i * 3_000 + 500}`, i % 3)),
      tabletOf(5, '200000', '300000'),
      tabletOf(5, '-70', '-60'),
      tabletOf(4, undefined, undefined, 4),
      { ...tabletOf(9), statistics: [] },
      tabletOf(50_000, '50000', '50000'),
    ].map((tablet) => ({ tablet }));
    const shares = assignByKeys(placement, { id: 3 }, tablets, nodes);
    const readers = (tablet: Tablet, key: string | null) =>
      shares.filter(({ tablets: own }) =>
        own.some(
          (one) =>
            one.tablet === tablet && (one.keys === undefined || isWithin('BIGINT', one.keys.ranges, key)),
        ),
      );
    const keys = [null, '-100', '-65', ...Array.from({ length: 300 }, (_, i) => String(i * 400))];
    for (const { tablet } of tablets) {
      const { min, max, nulls = 1 } = tablet.statistics[0] ?? {};
      for (const key of keys) {
        const isThere =
          key === null
            ? nulls > 0
            : tablet.statistics.length === 0 ||
              (min !== undefined && Number(key) >= Number(min) && Number(key) <= Number(max));
        if (!isThere) continue;
        const found = readers(tablet, key);
        expect(found).toHaveLength(1);
        const owner = key === null ? placement.names[placement.nodes[0]!] : nodeOf('BIGINT', placement, key);
        expect(found[0]!.node.name).toBe(owner);
      }
      const parts = shares.flatMap(({ tablets: own }) => own.filter((one) => one.tablet === tablet));
      const rows = parts.reduce((sum, one) => sum + ((one as Chosen).keys?.rows ?? tablet.rows), 0);
      expect(rows).toBe(tablet.rows);
    }
  });

  it('a table read twice has the same lists, and a choice keeps its granules', () => {
    const tablets = [{ tablet: tabletOf(1_000, '1', '90000'), granules: [0, 2] }];
    const shares = assignByKeys(placement, { id: 3 }, tablets, nodes);
    expect(shares.length).toBeGreaterThan(1);
    for (const { tablets: own } of shares) expect(own[0]).toMatchObject({ granules: [0, 2] });
    const again = assignByKeys(placement, { id: 3 }, tablets, nodes.toReversed());
    for (const share of shares)
      expect(again.find(({ node }) => node === share.node)!.tablets).toBe(share.tablets);
  });
});
