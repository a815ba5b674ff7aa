import type { ObjectId, Tablet, TabletId } from '@tessera/catalog';
import { describe, expect, it } from 'vitest';
import { assignTablets } from './assign-tablets.ts';
import { type Placement, placeTablets } from './place-tablets.ts';

const GRANULARITY = 8_192;

let random = 1;
const nextRandom = () => {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return random / 2 ** 32;
};

const idOf = (n: number) =>
  `01K${n.toString(32).padStart(7, '0')}${Math.floor(nextRandom() * 2 ** 40)
    .toString(32)
    .padStart(16, '0')}`.toUpperCase() as TabletId;

const tabletsOf = (count: number, rows: (i: number) => number): Tablet[] =>
  Array.from(
    { length: count },
    (_, i): Tablet => ({
      id: idOf(i),
      tableId: 't' as ObjectId,
      schemaVersion: 1,
      layout: 'compact',
      rows: rows(i),
      bytes: rows(i) * 40,
      uncompressedBytes: rows(i) * 100,
      granules: Math.ceil(rows(i) / GRANULARITY),
      headerOffset: 0,
      footerOffset: 0,
      tailCrc32c: 0,
      partition: [],
      statistics: [],
      createdAt: '',
    }),
  );

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}:5678`);

function rowsByNode(tablets: readonly Tablet[], placement: Placement, nodes: number): number[] {
  const sums: number[] = new Array(nodes).fill(0);
  for (const { id, rows } of tablets) {
    for (const part of placement.partsOf(id)) {
      sums[part.node]! += part.rows === undefined ? rows : part.rows.end - part.rows.start;
    }
  }
  return sums;
}

const imbalance = (rows: readonly number[]) =>
  Math.max(...rows) / (rows.reduce((a, b) => a + b, 0) / rows.length);

/** The fraction of all rows that a different node reads in the second placement. */
function moved(
  tablets: readonly Tablet[],
  before: Placement,
  namesBefore: readonly string[],
  after: Placement,
  namesAfter: readonly string[],
): number {
  let stayed = 0;
  let all = 0;
  for (const { id, rows } of tablets) {
    all += rows;
    for (const a of before.partsOf(id)) {
      for (const b of after.partsOf(id)) {
        if (namesBefore[a.node] !== namesAfter[b.node]) continue;
        const start = Math.max(a.rows?.start ?? 0, b.rows?.start ?? 0);
        const end = Math.min(a.rows?.end ?? rows, b.rows?.end ?? rows);
        stayed += Math.max(0, end - start);
      }
    }
  }
  return 1 - stayed / all;
}

describe('the placement of tablets', () => {
  const tables: readonly [string, Tablet[]][] = [
    ['one tablet', tabletsOf(1, () => 6_000_000)],
    ['five tablets', tabletsOf(5, () => 1_200_000)],
    ['tablets of very different sizes', tabletsOf(40, (i) => (i % 7 === 0 ? 2_000_000 : 10_000 * (i + 1)))],
    ['many tablets', tabletsOf(20_000, () => 100_000)],
    ['many small ones', tabletsOf(5_000, (i) => (i % 50) + 1)],
  ];

  it.each(tables)('is even, and each row is read once: %s', (_, tablets) => {
    for (const nodes of [1, 2, 3, 4, 5, 16]) {
      const placement = placeTablets(tablets, namesOf(nodes), GRANULARITY);
      for (const { id, rows } of tablets) {
        const parts = placement.partsOf(id);
        if (parts.length === 1 && parts[0]!.rows === undefined) continue;
        const ranges = parts.map((part) => part.rows!).sort((a, b) => a.start - b.start);
        expect([0, ...ranges.map((range) => range.end)].slice(0, -1)).toEqual(ranges.map((r) => r.start));
        expect(ranges.at(-1)!.end).toBe(rows);
        expect(ranges.slice(1).every(({ start }) => start % 2_048 === 0)).toBe(true);
      }
      expect(imbalance(rowsByNode(tablets, placement, nodes))).toBeLessThan(1.15);
    }
  });

  it('is even where a table has few granules for each node', () => {
    for (const [rows, nodes] of [
      [600_572, 4],
      [1_500_000, 5],
      [6_001_215, 4],
    ] as const) {
      const tablets = tabletsOf(1, () => rows);
      const placement = placeTablets(tablets, namesOf(nodes), 122_880);
      expect(imbalance(rowsByNode(tablets, placement, nodes))).toBeLessThan(1.15);
    }
  });

  it('cuts between granules where there are many', () => {
    const tablets = tabletsOf(6, () => 5_000_000);
    const placement = placeTablets(tablets, namesOf(4), 122_880);
    const cuts = tablets.flatMap(({ id }) => placement.partsOf(id).flatMap(({ rows }) => rows?.start ?? []));
    expect(cuts.length).toBeGreaterThan(0);
    expect(cuts.every((row) => row % 122_880 === 0)).toBe(true);
  });

  it.each(tables)('cuts few tablets, and in few pieces: %s', (_, tablets) => {
    const nodes = 8;
    const placement = placeTablets(tablets, namesOf(nodes), GRANULARITY);
    const parts = tablets.reduce((sum, { id }) => sum + placement.partsOf(id).length, 0);
    expect(parts - tablets.length).toBeLessThan(2 * nodes);
  });

  it('does not depend on the order of tablets', () => {
    const tablets = tables[2]![1];
    const names = namesOf(5);
    const straight = placeTablets(tablets, names, GRANULARITY);
    const reversed = placeTablets(tablets.toReversed(), names, GRANULARITY);
    for (const { id } of tablets) expect(reversed.partsOf(id)).toEqual(straight.partsOf(id));
  });

  it.each([
    [2_000, 4],
    [2_000, 16],
    [50_000, 100],
  ])('moves little more than it must when a node comes or goes: %i tablets, %i nodes', (count, nodes) => {
    const tablets = tabletsOf(count, () => 50_000 + Math.floor(nextRandom() * 100_000));
    const names = namesOf(nodes + 1);
    const fewer = names.toSpliced(Math.floor(nodes / 2), 1);
    const more = placeTablets(tablets, names, GRANULARITY);
    const less = placeTablets(tablets, fewer, GRANULARITY);
    const fraction = moved(tablets, more, names, less, fewer);
    expect(fraction).toBeGreaterThan(0.9 / (nodes + 1));
    expect(fraction).toBeLessThan(1 / (nodes + 1) + 0.12);
  });

  it('leaves tablets where they are when the table grows a little', () => {
    const tablets = tabletsOf(12, () => 1_000_000);
    const names = namesOf(4);
    const before = placeTablets(tablets, names, GRANULARITY);
    const grown = [
      ...tablets,
      ...tabletsOf(3, () => 100).map((t, i) => ({ ...t, id: `01Z${i}` as TabletId })),
    ];
    const after = placeTablets(grown, names, GRANULARITY);
    expect(moved(tablets, before, names, after, names)).toBe(0);
  });
});

describe('the assignment of a scan', () => {
  const all = tabletsOf(6, () => 1_000_000);
  const nodes = namesOf(3).map((name) => ({ name }));

  it('gives each node its part of the table, whatever the order of the nodes', () => {
    const chosen = all.map((tablet) => ({ tablet }));
    const shares = assignTablets(all, chosen, nodes, GRANULARITY);
    expect(shares).toHaveLength(3);
    expect(new Set(shares.map(({ shareId }) => shareId)).size).toBe(3);
    const reversed = assignTablets(all, [...chosen], nodes.toReversed(), GRANULARITY);
    const again = assignTablets(all, chosen, nodes, GRANULARITY);
    expect(again.map(({ tablets }) => tablets)).toEqual(shares.map(({ tablets }) => tablets));
    expect(again.every(({ tablets }, i) => tablets === shares[i]!.tablets)).toBe(true);
    for (const share of shares) {
      expect(reversed.find(({ node }) => node === share.node)).toEqual(share);
    }
  });

  it('keeps chosen granules on the node of their tablet', () => {
    const whole = assignTablets(
      all,
      all.map((tablet) => ({ tablet })),
      nodes,
      GRANULARITY,
    );
    const chosen = [{ tablet: all[3]!, granules: [5] }];
    for (const share of assignTablets(all, chosen, nodes, GRANULARITY)) {
      const kept = whole.find(({ node }) => node === share.node)!;
      expect(share).toMatchObject({ shareId: kept.shareId });
      const { rows } = kept.tablets.find(({ tablet }) => tablet === all[3]!) as { rows?: unknown };
      expect(share.tablets).toEqual([{ ...chosen[0], ...(rows !== undefined && { rows }) }]);
    }
  });

  it('has another share id after nodes come or go', () => {
    const chosen = all.map((tablet) => ({ tablet }));
    const [three] = assignTablets(all, chosen, nodes, GRANULARITY);
    const two = assignTablets(all, chosen, nodes.slice(0, 2), GRANULARITY);
    expect(two.find(({ node }) => node === three!.node)!.shareId).not.toBe(three!.shareId);
  });
});
