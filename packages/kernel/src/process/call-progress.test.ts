import { expect, test } from 'vitest';
import { CallProgress } from './call-progress.ts';
import { type PlanNode, pipelinesOf, rowsOf } from './pipelines.ts';

const node = (
  name: string,
  rows: number,
  children: readonly PlanNode[] = [],
  facts: Record<string, unknown> = {},
): PlanNode => ({ name, children, extra_info: { 'Estimated Cardinality': String(rows), ...facts } });

const scan = (rows: number) => node('SEQ_SCAN ', rows);
const received = (rows: number) => node('TESSERA_RECEIVED ', rows);

function progressOf(plan: PlanNode, spentMs: () => number = () => 0) {
  const pipelines = pipelinesOf(plan, 'tessera_received');
  const progress = new CallProgress({ rows: rowsOf(plan), pipelines }, spentMs);
  const counts = { fraction: -1, rowsProcessed: 0, rowsTotal: 0, receivedRows: 0, receivedTotal: 0 };
  return {
    pipelines,
    of: (more: Partial<typeof counts>) => progress.of({ ...counts, ...more }),
  };
}

test('pipelines are listed in the order in which the kernel runs them', () => {
  const { pipelines } = progressOf(
    node('TOP_N', 10, [
      node('HASH_GROUP_BY', 100, [
        node('HASH_JOIN', 9_000, [node('HASH_JOIN', 8_000, [scan(7_000), scan(600)]), received(50)]),
      ]),
    ]),
  );
  expect(pipelines.map(({ source, rows }) => [source, rows])).toEqual([
    ['received', 50],
    ['scan', 600],
    ['scan', 7_000],
    ['collected', 100],
    ['collected', 10],
  ]);
});

test('a delim join computes its left side first, and returns matched rows of its hash table at the end', () => {
  const inner = node('HASH_JOIN', 60, [node('DELIM_SCAN', 20), scan(500)], { 'Join Type': 'INNER' });
  const delim = node('RIGHT_DELIM_JOIN', 70, [
    scan(300),
    node('HASH_JOIN', 70, [inner, { name: 'DUMMY_SCAN' }], { 'Join Type': 'RIGHT_SEMI' }),
    node('HASH_GROUP_BY', 20, [{ name: 'DUMMY_SCAN' }]),
  ]);
  const { pipelines } = progressOf({ name: 'ORDER_BY', children: [delim] });
  expect(pipelines.map(({ rows }) => rows)).toEqual([300, 500, 20, 70, 70]);
});

test('each branch of a UNION ALL is a pipeline, and its rows have their part in what all rows go through', () => {
  const joined = (probed: PlanNode) =>
    node('HASH_GROUP_BY', 10, [
      node('PROJECTION', 3_000, [node('HASH_JOIN', 3_000, [probed, scan(50_000)])]),
    ]);
  const whole = progressOf(joined(scan(3_000))).pipelines;
  const union = progressOf(
    joined(node('UNION', 3_000, [scan(2_000), node('UNION', 1_000, [scan(400), scan(600)])])),
  );
  expect(union.pipelines.map(({ rows }) => rows)).toEqual([50_000, 2_000, 400, 600, 10]);
  const [, ...branches] = union.pipelines.slice(0, 4);
  const total = (of: 'work' | 'before') => branches.reduce((sum, pipeline) => sum + pipeline[of], 0);
  expect(total('work')).toBeCloseTo(whole[1]!.work, 6);
  expect(total('before')).toBeCloseTo(whole[1]!.before, 6);
  expect(branches[0]!.work / total('work')).toBeCloseTo(2 / 3, 2);
});

test('as many groups as rows are not believed, also where a common table expression returns them', () => {
  const grouped = (groups: number) => node('HASH_GROUP_BY', groups, [scan(1_000_000)]);
  const workAfter = (groups: number) => {
    const { pipelines } = progressOf(node('ORDER_BY', 0, [grouped(groups)]));
    return pipelines[1]!.work;
  };
  expect(workAfter(1_000_000)).toBeCloseTo(workAfter(100_000));
  expect(workAfter(500_000)).toBeGreaterThan(workAfter(400_000));
  const read = (number: string) => node('CTE_SCAN', 1_000_000, [], { 'CTE Index': number });
  const { pipelines } = progressOf(
    node('CTE', 1_000_000, [grouped(1_000_000), node('HASH_JOIN', 9, [read('7'), read('8')])], {
      'Table Index': '7',
    }),
  );
  const [, , built, probed] = pipelines;
  // The kernel counts what it expects, so only the work is corrected.
  expect([built!.rows, probed!.rows]).toEqual([1_000_000, 1_000_000]);
  expect(probed!.work * 2).toBeLessThan(built!.work);
});

test('a pipeline counts by its work, so the output of many groups is a part of it after all rows have been read', () => {
  const grouped = (groups: number) =>
    progressOf(node('HASH_GROUP_BY', groups, [scan(1_000_000)], { Aggregates: 'sum(#1)' }));
  expect(grouped(10).of({ fraction: 0.5, rowsProcessed: 500_000 })).toMatchObject({ read: 0.5 });
  expect(grouped(10).of({ fraction: 0.5, rowsProcessed: 500_000 }).fraction).toBeCloseTo(0.5, 2);
  const sorted = progressOf(node('ORDER_BY', 0, [node('HASH_GROUP_BY', 900_000, [scan(1_000_000)])]));
  const allRead = sorted.of({ fraction: 0.5, rowsProcessed: 1_000_000 });
  expect(allRead.read).toBe(1);
  expect(allRead.fraction).toBeGreaterThan(0.5);
  expect(allRead.fraction).toBeLessThan(0.8);
});

test('an estimate of many times the rows of a join does not outweigh the rest of the plan', () => {
  const joined = (rows: number) => node('HASH_JOIN', rows, [scan(1_000), scan(1_000)]);
  const plan = (rows: number) =>
    progressOf(node('HASH_GROUP_BY', 10, [node('HASH_JOIN', 1_000, [scan(1_000), joined(rows)])]));
  const work = (rows: number) => plan(rows).pipelines.map((pipeline) => pipeline.work);
  expect(work(1_000_000)[1]! / work(1_000)[1]!).toBeLessThan(2);
});

test('a range with two ends is expected to hold fewer rows than one with a single end', () => {
  const work = (filter: string) => {
    const filtered = node('SEQ_SCAN ', 1_000, [], { Filters: filter });
    return progressOf(node('HASH_GROUP_BY', 10, [filtered])).pipelines[0]!.work;
  };
  expect(work('day>=5 AND day<8')).toBeLessThan(work('day>=5'));
  expect(work('day>=5 AND hour<8')).toBe(work('day>=5'));
});

test('rows of other stages are counted where they are read', () => {
  const plan = progressOf(node('HASH_JOIN', 1_000, [received(1_000), received(1_000)]));
  expect(plan.of({}).fraction).toBe(-1);
  expect(plan.of({ receivedRows: 1_000 }).fraction).toBeGreaterThan(0.4);
  expect(plan.of({ receivedRows: 1_500 }).read).toBe(0.75);
  expect(plan.of({ receivedRows: 2_000 }).fraction).toBe(1);
});

test('the progress is a guess where most of the work is not counted', () => {
  const isGuess = (plan: PlanNode, counts: Parameters<ReturnType<typeof progressOf>['of']>[0]) =>
    progressOf(plan).of(counts).isGuess ?? false;
  const probing = (rows: number) => node('HASH_JOIN', rows, [scan(rows), received(1_000)]);
  // The kernel does not count a table once received rows have been read.
  expect(isGuess(probing(1_000_000), { receivedRows: 1_000 })).toBe(true);
  expect(isGuess(probing(100), { receivedRows: 1_000 })).toBe(false);
  const probed = node('HASH_JOIN', 1_000, [received(1_000), scan(1_000_000)]);
  expect(isGuess(probed, { fraction: 0.1, rowsProcessed: 100_000 })).toBe(false);
  expect(isGuess(scan(1_000_000), { fraction: 0 })).toBe(true);
  expect(isGuess(scan(1_000_000), { fraction: 0.5, rowsProcessed: 500_000 })).toBe(false);
});

test('while the kernel does not count, the call is expected to go on as fast as before', () => {
  let spentMs = 100;
  // The kernel does not count the scan, because the statement has read received rows.
  const plan = progressOf(node('HASH_JOIN', 1_000, [scan(1_000), received(1_000)]), () => spentMs);
  const shown: number[] = [];
  for (const receivedRows of [500, 1_000, 1_000, 1_000, 1_000]) {
    shown.push(plan.of({ receivedRows }).fraction);
    spentMs += 100;
  }
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(new Set(shown).size).toBe(shown.length);
  spentMs = 1e9;
  expect(plan.of({ receivedRows: 1_000 }).fraction).toBeLessThanOrEqual(1);
});

test('a call of which nothing is counted is expected to take the CPU time of its estimated work', () => {
  let spentMs = 0;
  const counted = node('HASH_GROUP_BY', 10, [scan(100_000_000)], { Aggregates: ['sum(#1)', 'sum(#2)'] });
  const plan = progressOf(counted, () => spentMs);
  const workMs = plan.pipelines.reduce((sum, { work, before }) => sum + work + before, 0) / 1000;
  const shownAt = (part: number) => {
    spentMs = part * workMs;
    return plan.of({ fraction: 0 }).fraction;
  };
  expect(shownAt(0)).toBe(0);
  expect(shownAt(0.5)).toBeCloseTo(0.5, 1);
  expect(shownAt(5)).toBeLessThan(1);
});

test('rows that differ from a pattern are most rows of a table, and a fixed beginning is found fast', () => {
  const work = (filter: string) =>
    progressOf(node('HASH_GROUP_BY', 10, [node('SEQ_SCAN ', 1_000, [], { Filters: filter })])).pipelines[0]!
      .work;
  expect(work("text!~~'%a%b%'")).toBeGreaterThan(1.1 * work("text~~'%a%b%'"));
  expect(work("prefix(text, 'a')")).toBeLessThan(work("text~~'%a%b%'") / 2);
});

test('without a plan, all rows of tables count alike, and nothing is known apart from received rows', () => {
  const progress = new CallProgress(undefined, () => 0);
  const counts = { fraction: -1, rowsProcessed: 10, rowsTotal: 40, receivedRows: 0, receivedTotal: 0 };
  expect(progress.of(counts)).toMatchObject({ fraction: 0.25 });
  expect(progress.of({ ...counts, receivedRows: 50, receivedTotal: 60 }).fraction).toBe(-1);
  expect(progress.of({ ...counts, rowsProcessed: 0 }).fraction).toBe(-1);
});
