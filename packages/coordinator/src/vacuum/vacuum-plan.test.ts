import type { ObjectId, Tablet, TabletId } from '@tessera/catalog';
import { describe, expect, it } from 'vitest';
import { type TabletState, type VacuumPolicy, vacuumJobs } from './vacuum-plan.ts';

const KIB = 1024;
const POLICY: VacuumPolicy = {
  minBytes: 1_000 * KIB,
  maxBytes: 2_000 * KIB,
  deletedFraction: 0.25,
  mergeFactor: 10,
  maxTabletsInJob: 100,
};

let made = 0;
function tablet(kib: number, deletedRows = 0, partition: readonly string[] = []): TabletState {
  made += 1;
  const state: Partial<Tablet> = {
    id: String(made) as TabletId,
    tableId: 't' as ObjectId,
    rows: 100,
    bytes: kib * KIB,
    partition,
  };
  return { tablet: state as Tablet, deletedRows };
}
const several = (count: number, make: () => TabletState) => Array.from({ length: count }, make);
const sizes = (tablets: readonly TabletState[], changes: Partial<VacuumPolicy> = {}) =>
  vacuumJobs(tablets, { ...POLICY, ...changes }).map((job) => job.tablets.length);

describe('vacuum', () => {
  it.each([
    ['nothing is to be done', [tablet(1_500), tablet(1_200, 20), tablet(3)], []],
    ['too few of a tier', several(9, () => tablet(1)), []],
    ['enough of a tier', several(10, () => tablet(1)), [10]],
    ['tiers apart', [...several(9, () => tablet(1)), ...several(9, () => tablet(600))], []],
    [
      'a full tier takes a fuller next one along',
      [...several(10, () => tablet(1)), ...several(10, () => tablet(100))],
      [20],
    ],
    [
      'a full tier leaves the next one',
      [...several(10, () => tablet(1)), ...several(3, () => tablet(100))],
      [10],
    ],
    ['no more bytes than one tablet takes', several(12, () => tablet(500)), [4, 4, 4]],
    ['many deleted rows', [tablet(1_500, 26), tablet(1_500, 25)], [1]],
    ['all rows deleted', several(3, () => tablet(1_500, 100)), [3]],
    [
      'partitions stay apart',
      [...several(9, () => tablet(1, 0, ['a'])), ...several(9, () => tablet(1, 0, ['b']))],
      [],
    ],
  ])('%s', (_, tablets, expected) => {
    expect(sizes(tablets)).toEqual(expected);
  });

  it('started by hand merges all small tablets', () => {
    const tablets = [tablet(1), tablet(600), tablet(1_500), tablet(2)];
    expect(sizes(tablets, { mergeFactor: 2 })).toEqual([3]);
    expect(sizes([tablet(1)], { mergeFactor: 2 })).toEqual([]);
    expect(
      sizes(
        several(5, () => tablet(1)),
        { mergeFactor: 2, maxTabletsInJob: 2 },
      ),
    ).toEqual([2, 2]);
  });
});
