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
  spillLimitBytes: 400 * MIB,
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

async function settings(connection: NativeConnection): Promise<string> {
  const sql =
    "SELECT concat_ws(' ', answer(), current_setting('threads'), current_setting('memory_limit'), current_setting('max_temp_directory_size'))";
  const statement = await NativeStatement.prepare(connection, sql);
  const result = await statement.execute('materialised');
  const chunk = result.next()!;
  const value = String(firstValue(chunk));
  destroyChunk(chunk);
  await result.destroy();
  statement.destroy();
  return value;
}

async function session(number: number): Promise<NativeConnection> {
  const before = served.length;
  sockets.push(connect(await limited.socketFor(number)));
  await expect.poll(() => served.length, { timeout: 20_000 }).toBe(before + 1);
  return served[before]!;
}

test('each number of threads has an instance, and all of them together a share of the space', async () => {
  const two = await session(2);
  expect(await settings(two)).toBe('42 2 200.0 MiB 100.0 MiB');
  expect(await settings(control)).toBe('42 12 600.0 MiB 300.0 MiB');
  const [three, again] = [await session(3), await session(2)];
  expect(await settings(three)).toBe('42 3 100.0 MiB 50.0 MiB');
  expect(await settings(again)).toBe('42 2 100.0 MiB 50.0 MiB');
  expect(threads.at(-1)).toBe(5);
  await inTurn(() => limited.setSpace({ memoryLimitBytes: 400 * MIB, spillLimitBytes: 200 * MIB }));
  expect(await settings(two)).toBe('42 2 50.0 MiB 25.0 MiB');
  expect(await settings(control)).toBe('42 12 300.0 MiB 150.0 MiB');
});

test('an instance is closed some time after its last session, and opened again for the next one', async () => {
  const first = await session(2);
  await longAfter();
  expect(await settings(first)).toBe('42 2 200.0 MiB 100.0 MiB');
  await first.close();
  served.length = 0;
  await longAfter();
  expect(threads.at(-1)).toBe(0);
  expect(await settings(control)).toBe('42 12 800.0 MiB 400.0 MiB');
  expect(await settings(await session(2))).toBe('42 2 200.0 MiB 100.0 MiB');
});

test('if there are many instances, a session gets one with fewer threads', async () => {
  for (let number = 2; number <= 9; number += 1) await session(number);
  expect(await settings(await session(11))).toMatch(/^42 9 /);
  expect(await settings(await session(1))).toMatch(/^42 1 /);
});
