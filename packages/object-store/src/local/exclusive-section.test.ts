import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExclusiveSection } from './exclusive-section.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'exclusive-section-'));
  path = join(directory, 'lock');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('pieces of work of one process run one after another, and a failed one does not stop the next', async () => {
  const section = new ExclusiveSection(path);
  const steps: string[] = [];
  const first = section.run(async () => {
    steps.push('first begins');
    await new Promise(setImmediate);
    steps.push('first ends');
    throw new Error('failed');
  });
  const second = section.run(() => steps.push('second'));
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(steps).toEqual(['first begins', 'first ends', 'second']);
  await section.close();
});

test('a section that is closed does not wait for another process that keeps the lock', async () => {
  const [other, section] = [new ExclusiveSection(path), new ExclusiveSection(path)];
  const { promise: kept, resolve: release } = Promise.withResolvers<void>();
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const working = other.run(() => {
    take();
    return kept;
  });
  await taken;
  const waiting = section.run(() => 'done');
  const [closed, answer] = await Promise.allSettled([section.close(), waiting]);
  expect(closed.status).toBe('fulfilled');
  expect(answer).toMatchObject({ status: 'rejected', reason: { message: 'the store was closed' } });
  release();
  await working;
  await other.close();
});
