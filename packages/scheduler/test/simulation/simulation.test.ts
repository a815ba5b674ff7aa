import { expect, test } from 'vitest';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env.TESSERA_SIMULATION_SEEDS ?? 1_000);
const FIRST = Number(process.env.TESSERA_SIMULATION_FIRST_SEED ?? 0);

test('whatever fails, the root reads the rows of the attempts that count, or the run ends with an error of the table', {
  timeout: 60_000 + 50 * SEEDS,
}, () => {
  const results = Array.from({ length: SEEDS }, (_, i) => simulate(FIRST + i));
  expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
  // Faults really occurred, and most runs survived them.
  const sum = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((total, one) => total + of(one), 0);
  expect(sum(({ attempts }) => attempts)).toBeGreaterThan(1.2 * sum(({ tasks }) => tasks));
  expect(results.filter(({ error }) => error === undefined).length).toBeGreaterThan(0.8 * SEEDS);
});

test('a run follows from its seed', () => {
  expect(simulate(42)).toEqual(simulate(42));
});
