import { expect, test } from 'vitest';
import { LearnedSpeed } from './learned-speed.ts';

const run = (msPerCpu: number, cpuPerWork = 1, workMs = 1_000) => {
  const cpuMs = cpuPerWork * workMs;
  return { ms: msPerCpu * cpuMs, cpuMs, workMs };
};

test('the first run is believed, and later ones are mixed with it', () => {
  const speed = new LearnedSpeed();
  expect(speed.of('divided')).toEqual({ msPerCpu: 1, cpuPerWork: 1 });
  speed.learn('divided', run(4, 2));
  expect(speed.of('divided').msPerCpu).toBeCloseTo(4);
  expect(speed.of('divided').cpuPerWork).toBeCloseTo(2);
  speed.learn('divided', run(1, 2));
  expect(speed.of('divided').msPerCpu).toBeCloseTo(2);
  expect(speed.of('divided').cpuPerWork).toBeCloseTo(2);
  expect(speed.of('alone')).toEqual({ msPerCpu: 1, cpuPerWork: 1 });
});

test('a machine that has become slower is known after some runs', () => {
  const speed = new LearnedSpeed();
  for (let i = 0; i < 100; i++) speed.learn('divided', run(1));
  for (let i = 0; i < 10; i++) speed.learn('divided', run(4));
  expect(speed.of('divided').msPerCpu).toBeGreaterThan(3);
});

test('runs that are too short to be measured, or have done nothing, teach nothing', () => {
  const speed = new LearnedSpeed();
  speed.learn('divided', run(50, 1, 20));
  speed.learn('divided', { ms: 1_000, cpuMs: 1_000, workMs: 0 });
  expect(speed.of('divided')).toEqual({ msPerCpu: 1, cpuPerWork: 1 });
});
