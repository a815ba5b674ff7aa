import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { tableOf, testTablets } from '../testing/test-tablets.ts';
import { BodyFile } from './body-file.ts';
import { copyRows } from './copy-rows.ts';
import { WriteProgress } from './write-progress.ts';
import { WrittenPages } from './written-pages.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

const table = tableOf(
  [
    ['a', 'BIGINT'],
    ['b', 'VARCHAR'],
    ['c', 'STRUCT(x INTEGER[], y DOUBLE)'],
  ],
  ['a'],
);
const GROUPS = 10;
const LEAVES = 4;
const ROWS_IN_GROUP = 2048;
const ROWS = GROUPS * ROWS_IN_GROUP;

/** A body of ten row groups, and its length after each of them. */
async function writtenBody() {
  const path = join(tablets.directory, 'whole.parquet');
  const sql = `SELECT i AS a, (i % 7)::VARCHAR AS b, {x: [i, 1], y: i} AS c FROM range(${ROWS}) r(i)`;
  await copyRows({ session: tablets.session, sql, params: [], path, rowGroupRows: ROWS_IN_GROUP });
  const body = await BodyFile.open(path);
  await body.close();
  const ends = body.footer.rowGroups.map(({ chunks }) => chunks.at(-1)!.offset + chunks.at(-1)!.bytes);
  return { bytes: readFileSync(path), ends };
}

const body = await writtenBody();
const growing = join(tablets.directory, 'growing.parquet');
const grow = (length: number) => writeFileSync(growing, body.bytes.subarray(0, length));

it('counts the pages of a file that is being written, and stops at its footer', () => {
  const pages = new WrittenPages(growing);
  expect(pages.count()).toBe(0);
  grow(2);
  expect(pages.count()).toBe(0);
  for (const [group, end] of body.ends.entries()) {
    grow(end - 1);
    expect(pages.count()).toBe(LEAVES * (group + 1) - 1);
    grow(end);
    expect(pages.count()).toBe(LEAVES * (group + 1));
  }
  grow(body.bytes.length);
  expect(pages.count()).toBe(LEAVES * GROUPS);
});

it('counts the written rows if the kernel does not know how much it has read', () => {
  let nowMs = 0;
  const progress = new WriteProgress({ table }, () => nowMs);
  grow(0);
  progress.writing(growing, ROWS_IN_GROUP);
  const call = { fraction: -1, rowsProcessed: 0, rowsTotal: 0, planned: { scanned: ROWS, returned: ROWS } };
  expect(progress.of(call)).toEqual(call);
  const shown = body.ends.map((end) => {
    nowMs += 100;
    grow(end);
    return 100 * progress.of(call).fraction;
  });
  expect(shown[4]).toBeGreaterThanOrEqual(40);
  expect(shown[4]).toBeLessThanOrEqual(60);
});

it('counts writing the rows as well as reading the input, and never goes back', () => {
  let nowMs = 0;
  const progress = new WriteProgress({ table }, () => nowMs);
  grow(0);
  progress.writing(growing, ROWS_IN_GROUP);
  const shown: number[] = [];
  const look = (fraction: number) => {
    nowMs += 100;
    const call = { fraction, rowsProcessed: 0, rowsTotal: 0, planned: { scanned: ROWS, returned: ROWS } };
    const { fraction: all, read } = progress.of(call);
    expect(read).toBe(fraction);
    shown.push(Math.round(100 * all));
  };
  // Reading and sorting take 200 ms, writing takes 1,000 ms.
  look(0.5);
  look(1);
  for (const end of body.ends) {
    grow(end);
    look(1);
  }
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  // The tablets are still to be moved.
  expect(shown.at(-1)).toBeLessThan(95);
  const halfTime = shown[5]!;
  expect(halfTime).toBeGreaterThanOrEqual(40);
  expect(halfTime).toBeLessThanOrEqual(60);
});
