import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type InstanceOptions, NativeInstance } from '../instance/instance.ts';
import type { NativeConnection } from '../native/connection.ts';
import { firstValue } from '../native/scalar-value.ts';
import { destroyChunk, NativeStatement } from '../native/statement.ts';
import { LimitedInstances } from './limited-instances.ts';

const MIB = 1 << 20;
/** Longer than an instance stays open without a session. */
const LONG_MS = 15_000;

const directory = mkdtempSync(join(tmpdir(), 'limited-instances-'));
const options: InstanceOptions = {
  spillDirectory: join(directory, 'spill'),
  spillLimitBytes: 800 * MIB,
  readableDirectories: [],
  memoryLimitBytes: 800 * MIB,
  threads: 12,
  cores: 12,
  bootstrap: ['CREATE MACRO answer() AS 42'],
  definesRelations: false,
};
const others = await NativeInstance.open(options);
const control = others.connect();

let threads: number[];
let served: NativeConnection[];
let sockets: Socket[];
let inTurn: <T>(run: () => Promise<T>) => Promise<T>;
let limited: LimitedInstances;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  [threads, served, sockets] = [[], [], []];
  let last: Promise<unknown> = Promise.resolve();
  inTurn = (run) => {
    const ran = last.then(run);
    last = ran.catch(() => undefined);
    return ran;
  };
  limited = new LimitedInstances({
    instance: options,
    socketPath: join(mkdtempSync(join(directory, 'test-')), 'socket'),
    others: control,
    serve: (instance) => void served.push(instance.connect()),
    onThreads: (number) => void threads.push(number),
    inTurn,
  });
});
afterEach(async () => {
  await Promise.all(served.map((connection) => connection.close()));
  await longAfter();
  for (const socket of sockets) socket.destroy();
  vi.useRealTimers();
});
afterAll(async () => {
  await control.close();
  await others.close();
  rmSync(directory, { recursive: true, force: true });
});

async function longAfter(): Promise<void> {
  vi.advanceTimersByTime(LONG_MS);
  await inTurn(async () => undefined);
}

/** The results of an instance: of a function of the bootstrap, its threads, and its memory and disk space in MiB. */
async function settings(connection: NativeConnection): Promise<readonly number[]> {
  const names = ['threads', 'memory_limit', 'max_temp_directory_size'];
  const values = names.map((name) => `current_setting('${name}')`);
  const statement = await NativeStatement.prepare(
    connection,
    `SELECT concat_ws(',', answer(), ${values.join(', ')})`,
  );
  const result = await statement.execute('materialised');
  const chunk = result.next()!;
  const texts = String(firstValue(chunk)).split(',');
  destroyChunk(chunk);
  await result.destroy();
  statement.destroy();
  const [answer, threads, ...space] = texts.map((text) => Number.parseFloat(text));
  // An empty instance uses less than a megabyte itself.
  return [answer!, threads!, ...space.map((mebibytes) => Math.round(mebibytes / 10) * 10)];
}

async function session(number: number): Promise<NativeConnection> {
  const before = served.length;
  sockets.push(connect(await limited.socketFor(number)));
  await expect.poll(() => served.length, { timeout: 20_000 }).toBe(before + 1);
  return served[before]!;
}

test('each number of threads has an instance, and the space is divided', async () => {
  const two = await session(2);
  expect(await settings(two)).toEqual([42, 2, 400, 400]);
  expect(await settings(control)).toEqual([42, 12, 400, 400]);
  const [three, again] = [await session(3), await session(2)];
  expect(await settings(three)).toEqual([42, 3, 200, 200]);
  expect(await settings(again)).toEqual([42, 2, 200, 200]);
  expect(threads.at(-1)).toBe(5);
  await inTurn(() => limited.setSpace({ memoryLimitBytes: 400 * MIB, spillLimitBytes: 200 * MIB }));
  expect(await settings(two)).toEqual([42, 2, 100, 50]);
  expect(await settings(control)).toEqual([42, 12, 200, 100]);
});

test('the side that uses more memory has more, and each has at least a third', async () => {
  await control.run('CREATE TABLE large AS SELECT hash(i) AS h FROM range(12500000) AS r(i)');
  const two = await session(2);
  const [, , memory] = await settings(two);
  // The other instance uses 100 MB, and half of that is no longer free for this one.
  expect(memory).toBeGreaterThanOrEqual(320);
  expect(memory).toBeLessThanOrEqual(360);
  await inTurn(() => limited.setSpace({ memoryLimitBytes: 160 * MIB, spillLimitBytes: 160 * MIB }));
  expect(await settings(two)).toEqual([42, 2, 50, 50]);
  await control.run('DROP TABLE large');
  vi.advanceTimersByTime(1_000);
  await inTurn(async () => undefined);
  expect(await settings(two)).toEqual([42, 2, 80, 80]);
});

test('an instance is closed some time after its last session, and opened again for the next one', async () => {
  const first = await session(2);
  await longAfter();
  expect(await settings(first)).toEqual([42, 2, 400, 400]);
  await first.close();
  served.length = 0;
  await longAfter();
  expect(threads.at(-1)).toBe(0);
  expect(await settings(control)).toEqual([42, 12, 800, 800]);
  expect(await settings(await session(2))).toEqual([42, 2, 400, 400]);
});

test('if there are many instances, a session gets one with fewer threads', async () => {
  for (let number = 2; number <= 9; number += 1) await session(number);
  expect((await settings(await session(11)))[1]).toBe(9);
  expect((await settings(await session(1)))[1]).toBe(1);
});
