/**
 * Measures the catalog with 100,000 tablets: applying entries, checkpoints, planning-side reads.
 *
 *   node --expose-gc packages/catalog/bench/catalog-bench.ts [--tablets 100000] [--columns 16]
 *
 * It prints one line per figure: medians of several runs, and heap growth if `--expose-gc` is given.
 */
import { parseArgs } from 'node:util';
import { type CatalogState, decodeCheckpoint, encodeCheckpoint, type ObjectId } from '../src/index.ts';
import { add, after, commit, setVector, transaction, vector } from '../src/testing/catalog-fixtures.ts';
import { fillTable, manyTables, statedTablet } from './filled-catalog.ts';

const { values } = parseArgs({
  options: {
    tablets: { type: 'string', default: '100000' },
    columns: { type: 'string', default: '16' },
  },
});
const tablets = Number(values.tablets);
const columns = Number(values.columns);

process.stdout.write(`${tablets} tablets with statistics of ${columns} columns\n\nOne table\n`);
const idle = heapMb();
let one: CatalogState | undefined = fillTable(tablets, columns);
report('heap of the state', `${heapMb() - idle} MB`);
measureApply(one);
const file = measureEncode(one);
one = undefined;
const opened = measureOpen(file);
measureReads(opened, 't0' as ObjectId);

const tables = Math.max(1, Math.round(tablets / 100));
process.stdout.write(`\n${tables} tables of 100 tablets\n`);
const manyFile = measureEncode(manyTables(tables, 100, columns));
measureReads(measureOpen(manyFile), 't7' as ObjectId);

function measureApply(state: CatalogState): void {
  let current = state;
  const times: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const txn = transaction(`insert-${i}`, current.version, [
      add(statedTablet('t0', `extra${i}`, i, columns)),
    ]);
    const start = performance.now();
    current = after(current, [txn]);
    times.push(performance.now() - start);
  }
  report('encode, decode, apply an entry of one tablet', distribution(times));
  const deletes: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const action = setVector(vector('t0', `extra${i}`, 1));
    const start = performance.now();
    current = commit(current, action);
    deletes.push(performance.now() - start);
  }
  report('the same, a deletion vector', distribution(deletes));
  const lists: number[] = [];
  for (let i = 0; i < 50; i++) {
    current = commit(current, add(statedTablet('t0', `again${i}`, i, columns)));
    const start = performance.now();
    current.tablets('t0' as ObjectId);
    lists.push(performance.now() - start);
  }
  report('tablets() after a change', distribution(lists));
}

function measureEncode(state: CatalogState): Uint8Array {
  const start = performance.now();
  const encoded = encodeCheckpoint(state);
  report('first checkpoint', `${ms(performance.now() - start)}, ${(encoded.length / 1e6).toFixed(1)} MB`);
  const next = commit(state, add(statedTablet('t0', 'next', 1, columns)));
  const again = performance.now();
  encodeCheckpoint(next);
  report('the next checkpoint, one commit later', ms(performance.now() - again));
  return encoded;
}

function measureOpen(encoded: Uint8Array): CatalogState {
  const before = heapMb();
  const times: number[] = [];
  let state = decodeCheckpoint(encoded);
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    state = decodeCheckpoint(encoded);
    times.push(performance.now() - start);
  }
  report('open a checkpoint', distribution(times));
  report('heap after opening', `${heapMb() - before} MB`);
  return state;
}

function measureReads(state: CatalogState, table: ObjectId): void {
  const before = heapMb();
  const start = performance.now();
  const list = state.tablets(table);
  report(`first tablets() of a table of ${list.length}`, ms(performance.now() - start));
  report('heap of these tablets', `${heapMb() - before} MB`);
  const again = performance.now();
  state.tablets(table);
  report('tablets() again', ms(performance.now() - again));
  const walk = performance.now();
  let found = 0;
  for (const tablet of list) for (const statistic of tablet.statistics) if (statistic.min === '5') found++;
  report('a walk over all statistics', `${ms(performance.now() - walk)} (${found} found)`);
}

function distribution(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return `median ${at(0.5)}, 99 % ${at(0.99)}, most ${ms(sorted.at(-1)!)}`;
}

function heapMb(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 3 : 0)} ms`;
}

function report(what: string, figure: string): void {
  process.stdout.write(`  ${what.padEnd(48)} ${figure}\n`);
}
