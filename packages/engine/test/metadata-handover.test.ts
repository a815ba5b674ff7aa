import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asQueryId, createLogging, freePort } from '@tessera/common';
import { loadConfig } from '@tessera/config';
import { openObjectStore } from '@tessera/object-store';
import { openStorageManager, type StorageManager } from '@tessera/storage-manager';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startSharedStore } from './cluster/shared-store.ts';
import { firstLine } from './first-line.ts';
import { MAIN } from './programs.ts';

/** A rolling update of `tessera metadata`, as engines that write meanwhile see it. */
const TOKEN = 'a-token-of-this-instance';
/**
 * The longest acceptable gap between answered commits: shorter than the lease of 9 s, whose end a service without a handover
 * would wait for. Measured in isolation: see docs/operations.md.
 */
const LONGEST_GAP_MS = 6_000;
const WITHIN = { timeout: 30_000, interval: 20 };
const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('metadata');

const stack = new AsyncDisposableStack();
let directory: string;
let configPath: string;
let ports: [number, number];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-handover-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const shared = await startSharedStore();
  stack.use(shared);
  for (const [name, value] of Object.entries(shared.env)) vi.stubEnv(name, value);
  ports = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  configPath = join(directory, 'tessera.json');
  const storage = { type: 'minio', minio: { endpoint: shared.endpoint }, bucket_name: 'tables' };
  const multi_engine = { metadata_endpoint: `127.0.0.1:${ports[0]}` };
  const instance = { type: 'multi_engine', multi_engine };
  await writeFile(configPath, JSON.stringify({ schema_version: '1.0', instance, storage }));
});

afterAll(async () => {
  await stack.disposeAsync();
  vi.unstubAllEnvs();
});

/** A metadata service that is ready. */
async function service(port: number): Promise<ChildProcess> {
  const dataDirectory = join(directory, `metadata-${randomUUID()}`);
  const args = [
    MAIN,
    'metadata',
    '--config',
    configPath,
    '--data-dir',
    dataDirectory,
    '--port',
    String(port),
  ];
  const env = { ...process.env, TESSERA_CLUSTER_TOKEN: TOKEN };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  stack.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop(child, 'SIGKILL');
  });
  await firstLine(child);
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function engine(): Promise<StorageManager> {
  const { config } = await loadConfig(configPath);
  const store = await openObjectStore(config, { dataDirectory: directory });
  stack.defer(() => store.close());
  const manager = await openStorageManager({ store, config, clusterToken: TOKEN, log });
  stack.defer(() => manager.close());
  return manager;
}

/** Commits repeatedly until it is stopped. */
function writer(manager: StorageManager) {
  const commits: { readonly idempotencyKey: string; readonly version: number; readonly atMs: number }[] = [];
  const failures: unknown[] = [];
  let stopped = false;
  onTestFinished(() => {
    stopped = true;
  });
  const ended = (async () => {
    while (!stopped) {
      const idempotencyKey = randomUUID();
      try {
        const { version } = await manager.commit({
          idempotencyKey,
          queryId: asQueryId(idempotencyKey),
          readVersion: 0,
          actions: [],
        });
        commits.push({ idempotencyKey, version, atMs: performance.now() });
      } catch (error) {
        failures.push(error);
      }
    }
  })();
  return {
    commits,
    failures,
    /** The longest time between two answers since the commit with that number. */
    longestGapMs: (since: number) =>
      commits
        .slice(since + 1)
        .reduce((most, { atMs }, i) => Math.max(most, atMs - commits[since + i]!.atMs), 0),
    goesOn: async () => {
      const before = commits.length;
      await expect.poll(() => commits.length, WITHIN).toBeGreaterThan(before + 20);
    },
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}

test('a second metadata service takes over at once when the first is stopped, and no write fails', async () => {
  const first = await service(ports[0]);
  const writers = [writer(await engine()), writer(await engine())];
  const all = (what: 'goesOn' | 'stop') => Promise.all(writers.map((one) => one[what]()));
  const gaps: Record<string, number> = {};
  const during = async (name: string, happens: () => Promise<unknown>) => {
    const since = writers.map(({ commits }) => commits.length - 1);
    await happens();
    await all('goesOn');
    gaps[name] = Math.round(Math.max(...writers.map((one, i) => one.longestGapMs(since[i]!))));
  };
  await all('goesOn');
  let second: ChildProcess | undefined;
  await during('a second one starts', async () => (second = await service(ports[1])));
  await during('the first one stops', () => stop(first, 'SIGTERM'));
  let third: ChildProcess | undefined;
  await during('a third one starts', async () => (third = await service(ports[0])));
  await during('the second one stops', () => stop(second!, 'SIGTERM'));
  await all('stop');
  process.stdout.write(`longest time without a commit, ms: ${JSON.stringify(gaps)}\n`);
  expect(writers.flatMap(({ failures }) => failures)).toEqual([]);
  expect(Math.max(...Object.values(gaps))).toBeLessThan(LONGEST_GAP_MS);
  // Commits that one service acknowledged are known to the next, and nothing was committed twice.
  const manager = await engine();
  for (const { idempotencyKey, version } of writers.flatMap(({ commits }) => commits.slice(0, 30))) {
    expect(
      await manager.commit({
        idempotencyKey,
        queryId: asQueryId(idempotencyKey),
        readVersion: 0,
        actions: [],
      }),
    ).toEqual({ version });
  }
  await stop(third!, 'SIGTERM');
});
