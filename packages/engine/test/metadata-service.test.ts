import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { asQueryId, createLogging, freePort } from '@tessera/common';
import { loadConfig } from '@tessera/config';
import { openObjectStore } from '@tessera/object-store';
import { openStorageManager, type StorageManager } from '@tessera/storage-manager';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstLine } from './first-line.ts';
import { MAIN } from './programs.ts';

/** `tessera metadata` as engines see it: over gRPC, from their own processes. */
const TOKEN = 'a-token-of-this-instance';
const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('metadata');

let directory: string;
let configPath: string;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-metadata-'));
  stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  configPath = join(directory, 'tessera.yaml');
  const lines = ['schema_version: "1.0"', 'instance:', '  type: multi_engine', '  multi_engine:'];
  await writeFile(
    configPath,
    [...lines, `    metadata_endpoint: 127.0.0.1:${await freePort('127.0.0.1')}`].join('\n'),
  );
});

afterEach(() => stack.disposeAsync());

function start(...flags: string[]): ChildProcess {
  const args = [
    MAIN,
    'metadata',
    '--config',
    configPath,
    '--data-dir',
    join(directory, 'metadata'),
    ...flags,
  ];
  const env = { ...process.env, TESSERA_CLUSTER_TOKEN: TOKEN };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  stack.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop(child, 'SIGKILL');
  });
  return child;
}

async function started(): Promise<ChildProcess> {
  const child = start();
  expect(await firstLine(child)).toMatch(/^Metadata service on 127\.0\.0\.1:\d+$/);
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return code;
}

/** The commits of an engine are answered in time, also on a busy machine, unless it is to be refused or without a service. */
async function engine({
  clusterToken = TOKEN,
  place = 'metadata',
  instance,
  commitTimeoutMs = 30_000,
}: {
  readonly clusterToken?: string;
  readonly place?: string;
  readonly instance?: string;
  readonly commitTimeoutMs?: number;
} = {}): Promise<StorageManager> {
  const { config: configured } = await loadConfig(configPath);
  const config =
    instance === undefined
      ? configured
      : { ...configured, instance: { ...configured.instance, id: instance } };
  const store = await openObjectStore(config, { dataDirectory: join(directory, place) });
  stack.defer(() => store.close());
  const manager = await openStorageManager({
    store,
    config,
    clusterToken,
    log,
    times: { commitTimeoutMs },
  });
  stack.defer(() => manager.close());
  return manager;
}

function empty(idempotencyKey: string) {
  return { idempotencyKey, queryId: asQueryId(idempotencyKey), readVersion: 0, actions: [] };
}

it('commits for several engines, which see each other, and drains at SIGTERM', async () => {
  const service = await started();
  const [one, two, hasty] = [await engine(), await engine(), await engine({ commitTimeoutMs: 1_000 })];
  const ids = Array.from({ length: 50 }, () => randomUUID());
  const answers = await Promise.all(ids.map((id, i) => (i % 2 === 0 ? one : two).commit(empty(id))));
  const newest = Math.max(...answers.map(({ version }) => version));
  expect((await one.latest()).version).toBe(newest);
  expect((await two.latest()).version).toBe(newest);
  expect(await stop(service, 'SIGTERM')).toBe(0);
  await expect(hasty.commit(empty(randomUUID()))).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
  expect((await one.latest()).version).toBe(newest);
  await started();
  expect(await two.commit(empty(ids[0]!))).toEqual(answers[0]);
  expect((await one.commit(empty(randomUUID()))).version).toBeGreaterThan(newest);
});

it('has every acknowledged commit after a kill and a restart', async () => {
  const service = await started();
  const manager = await engine();
  const acknowledged = new Map<string, number>();
  const write = async () => {
    const id = randomUUID();
    acknowledged.set(id, (await manager.commit(empty(id))).version);
  };
  for (let i = 0; i < 30; i++) await write();
  await stop(service, 'SIGKILL');
  await started();
  await write();
  for (const [id, version] of acknowledged) expect(await manager.commit(empty(id))).toEqual({ version });
});

it('answers nobody without the token', async () => {
  await started();
  const stranger = await engine({ clusterToken: 'another-token-of-another', commitTimeoutMs: 2_000 });
  await expect(stranger.commit(empty(randomUUID()))).rejects.toMatchObject({
    name: 'METADATA_UNAVAILABLE',
    message: expect.stringContaining('token'),
  });
});

it('refuses an engine with another store or another instance id, and names both sides', async () => {
  const service = await started();
  const ours = await engine();
  const { version } = await ours.commit(empty(randomUUID()));
  const mismatch = (theirs: string) => ({
    name: 'STORE_MISMATCH',
    message: expect.stringMatching(
      new RegExp(`${join(directory, 'metadata')}/.*, the caller stores them in .*${theirs}`),
    ),
  });
  await expect(engine({ place: 'elsewhere' })).rejects.toMatchObject(mismatch(join(directory, 'elsewhere')));
  await expect(engine({ instance: 'another' })).rejects.toMatchObject(mismatch('.*instance.id another'));
  expect((await ours.latest()).version).toBe(version);
  // An engine that opened its own log while the service was away is refused as soon as it asks.
  await stop(service, 'SIGTERM');
  const stray = await engine({ place: 'elsewhere' });
  await started();
  await expect(stray.commit(empty(randomUUID()))).rejects.toMatchObject({ name: 'STORE_MISMATCH' });
  expect((await ours.latest()).version).toBeGreaterThanOrEqual(version);
});

it('is not open to other machines without a token', async () => {
  const child = spawn(process.execPath, [MAIN, 'metadata', '--config', configPath, '--host', '0.0.0.0'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[code], told] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
  expect(code).toBe(1);
  expect(told).toContain('needs a cluster token');
});

it('serves metrics of the log to Prometheus if configured to', async () => {
  const child = start('--metrics-port', '0');
  const log = createInterface({ input: child.stderr! });
  let url: string | undefined;
  for await (const line of log) {
    const record = JSON.parse(line) as { msg: string; url?: string };
    if (record.msg === 'serving metrics') url = record.url;
    if (url !== undefined) break;
  }
  const page = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(page).toMatch(/^tessera_metadata_role\{role="leader",engine="default-engine-id"\} 1$/m);
  await expect
    .poll(page)
    .toMatch(
      /^tessera_object_store_requests_total\{operation="put_if",outcome="ok",engine="default-engine-id"\} [1-9]/m,
    );
});
