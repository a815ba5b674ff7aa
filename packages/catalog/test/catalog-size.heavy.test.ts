import { beforeAll, expect, test } from 'vitest';
import { fillTable, manyTables, statedTablet } from '../bench/filled-catalog.ts';
import { type CatalogState, decodeCheckpoint, encodeCheckpoint, type ObjectId } from '../src/index.ts';
import { add, after, commit, setVector, transaction, vector } from '../src/testing/catalog-fixtures.ts';

/** Figures are processor time: a busy machine does not change them much. `bench/catalog-bench.ts` prints them all. */
const COLUMNS = 16;
const T = 't0' as ObjectId;
let full: CatalogState;
let file: Uint8Array;

beforeAll(() => {
  full = fillTable(100_000, COLUMNS);
  file = encodeCheckpoint(full);
});

test('100,000 tablets are open and at hand within two seconds', () => {
  let tablets = 0;
  const time = processorMs(() => {
    tablets = decodeCheckpoint(file).tablets(T).length;
  });
  expect(tablets).toBe(100_000);
  expect(time).toBeLessThan(2_000);
});

test('an entry costs the same as in a small catalog', () => {
  let state = full;
  const time = processorMs(() => {
    for (let i = 0; i < 500; i++) {
      const insert = [add(statedTablet('t0', `new-${i}`, i, COLUMNS))];
      state = after(state, [transaction(`insert-${i}`, state.version, insert)]);
      state = commit(state, setVector(vector('t0', `new-${i}`, 1)));
    }
  });
  expect(time / 1_000).toBeLessThan(0.2);
});

test('after a commit, the list of tablets and the next checkpoint take milliseconds', () => {
  let state = full;
  const list = processorMs(() => {
    for (let i = 0; i < 20; i++) {
      state = commit(state, add(statedTablet('t0', `next-${i}`, i, COLUMNS)));
      expect(state.tablets(T)).toHaveLength(100_001 + i);
    }
  });
  expect(list / 20).toBeLessThan(20);
  expect(processorMs(() => encodeCheckpoint(state))).toBeLessThan(200);
});

test('one of a thousand tables is read without the others', () => {
  const many = encodeCheckpoint(manyTables(1_000, 20, COLUMNS));
  const time = processorMs(() => {
    expect(decodeCheckpoint(many).tablets('t7' as ObjectId)).toHaveLength(20);
  });
  expect(time).toBeLessThan(250);
});

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
