import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeTransaction } from '@tessera/catalog';
import { freePort, TesseraError } from '@tessera/common';
import { openLocalStore } from '@tessera/object-store';
import { openRpcChannel, StorageManagerService } from '@tessera/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StorageManager } from '../src/index.ts';
import { type ClusterNode, clusterNode, engineOf, TOKEN } from './cluster-nodes.ts';
import { commit, relationNames, table, transaction, uploaded } from './transactions.ts';

let directory: string;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-cluster-'));
  stack = new AsyncDisposableStack();
});

afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true, force: true });
});

async function node(...args: Parameters<typeof clusterNode> extends [string, ...infer R] ? R : never) {
  return stack.use(await clusterNode(directory, ...args));
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

const create = (name: string) => ({ kind: 'create', object: table(name) }) as const;

describe('two nodes on one store', () => {
  it('the first leads, the other forwards, and both see all commits', async () => {
    const a = await node(0);
    await until(() => a.manager.leads);
    const b = await node(1);
    await commit(a.manager, create('from_a'));
    await commit(b.manager, create('from_b'));
    expect(b.manager.leads).toBe(false);
    expect(await relationNames(a.manager)).toEqual(['from_a', 'from_b']);
    expect(await relationNames(b.manager)).toEqual(['from_a', 'from_b']);
  });

  it('a refusal of the leader reaches the client of the other node unchanged', async () => {
    const a = await node(0);
    const b = await node(1);
    await commit(a.manager, create('t'));
    const again = await transaction(b.manager, create('t'));
    await expect(b.manager.commit(again)).rejects.toMatchObject({
      name: 'DUPLICATE_OBJECT',
      message: 'Table "t" already exists',
    });
  });

  it('the other takes over when the leader leaves, and knows earlier commits', async () => {
    const a = await clusterNode(directory, 0);
    const b = await node(1);
    const before = await transaction(b.manager, create('t'));
    const { version } = await b.manager.commit(before);
    await a[Symbol.asyncDispose]();
    expect(await b.manager.commit(before)).toEqual({ version });
    expect(b.manager.leads).toBe(true);
    await commit(b.manager, create('u'));
    expect(await relationNames(b.manager)).toEqual(['t', 'u']);
  });

  it('reads continue without a leader, at a version that the store proves', async () => {
    const a = await clusterNode(directory, 0);
    await commit(a.manager, create('t'));
    const store = await openLocalStore(directory, { fsync: false });
    stack.defer(() => store.close());
    const engine = await engineOf(a.address, store, { commitTimeoutMs: 1_500 });
    stack.defer(() => engine.close());
    await commit(a.manager, create('u'));
    await a[Symbol.asyncDispose]();
    expect(await relationNames(engine)).toEqual(['t', 'u']);
    const unheard = await transaction(engine, create('v'));
    await expect(engine.commit(unheard)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    expect(await relationNames(engine)).toEqual(['t', 'u']);
  });
});

describe('a store whose objects were deleted', () => {
  const deleteObjects = async ({ store }: ClusterNode, which: (key: string) => boolean) => {
    const keys: string[] = [];
    for await (const { key } of store.list('')) if (which(key)) keys.push(key);
    await store.delete(keys);
  };

  it('gets no more commits, although its leader knows the whole log', async () => {
    const a = await node(0);
    await commit(a.manager, create('t'));
    await deleteObjects(a, () => true);
    await until(() => a.manager.status.role === 'broken');
    await expect(a.manager.latest()).rejects.toMatchObject({
      name: 'METADATA_UNAVAILABLE',
      message: expect.stringContaining('meta/identity is gone'),
    });
  });

  it('gets no more commits if only its identity is gone, as when the leader has written its hint again meanwhile', async () => {
    const a = await node(0);
    await commit(a.manager, create('t'));
    await deleteObjects(a, (key) => key === 'meta/identity');
    await until(() => a.manager.status.role === 'broken');
    await expect(transaction(a.manager, create('u')).then((u) => a.manager.commit(u))).rejects.toMatchObject({
      name: 'METADATA_UNAVAILABLE',
    });
  });

  it('is not taken for a new one if entries of its log are left', async () => {
    const a = await clusterNode(directory, 0);
    await commit(a.manager, create('t'));
    const version = await commit(a.manager, create('u'));
    await deleteObjects(a, (key) => !key.startsWith('meta/log/') || !key.includes(`${version}.json`));
    await a[Symbol.asyncDispose]();
    await expect(node(0)).rejects.toMatchObject({
      name: 'METADATA_UNAVAILABLE',
      message: expect.stringContaining(`the entries before ${version}, and every checkpoint, are missing`),
    });
  });
});

describe('processes', () => {
  async function leaderProcess(): Promise<{ child: ChildProcess; address: string }> {
    const port = await freePort('127.0.0.1');
    const program = join(import.meta.dirname, 'node-process.ts');
    const child = spawn(process.execPath, [program, directory, '0', String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stack.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await once(child.stdout!, 'data');
    return { child, address: `127.0.0.1:${port}` };
  }

  function client(address: string) {
    const unanswered = (reason: string) => TesseraError.of('METADATA_UNAVAILABLE', { reason });
    const channel = openRpcChannel({ address, clusterToken: TOKEN, unanswered });
    stack.defer(() => channel.close());
    return channel.client(StorageManagerService);
  }

  it('a leader that is killed is replaced; nothing acknowledged is lost', async () => {
    const { child } = await leaderProcess();
    const b = await node(1);
    const names: string[] = [];
    for (let i = 0; i < 20; i++) {
      if (i === 10) child.kill('SIGKILL');
      await commit(b.manager, create(`t${String(i).padStart(2, '0')}`));
      names.push(`t${String(i).padStart(2, '0')}`);
    }
    expect(b.manager.leads).toBe(true);
    expect(await relationNames(b.manager)).toEqual(names);
  });

  it('a commit that a stopped leader does not answer is sent to the next one', async () => {
    const { child } = await leaderProcess();
    const b = await node(1);
    const underWay = await transaction(b.manager, create('t'));
    child.kill('SIGSTOP');
    await b.manager.commit(underWay);
    expect(b.manager.leads).toBe(true);
    expect(await relationNames(b.manager)).toEqual(['t']);
  });

  it('a leader that was paused notices that it no longer leads', async () => {
    const { child, address } = await leaderProcess();
    const b = await node(1);
    await commit(b.manager, create('before'));
    const old = client(address);
    const { epoch } = await old.latest({});
    child.kill('SIGSTOP');
    await commit(b.manager, create('meanwhile'));
    expect(b.manager.leads).toBe(true);
    // The request is sent while the process is stopped, so it is the first one that it handles afterwards.
    const late = await transaction(b.manager, create('late'));
    const answered = old
      .commit({ transaction: new TextEncoder().encode(encodeTransaction(late)) }, { timeoutMs: 20_000 })
      .catch((error: TesseraError) => error.name);
    child.kill('SIGCONT');
    expect(await answered).toBe('NOT_LEADER');
    const { version } = await b.manager.commit(late);
    expect((await b.manager.latest()).version).toBe(version);
    expect(await relationNames(b.manager)).toEqual(['before', 'late', 'meanwhile']);
    expect((b.manager.current as { epoch?: number }).epoch).toBeGreaterThan(Number(epoch));
  });
});

describe('an engine beside a metadata service', () => {
  it.each([true, false])('sees the commits of others (its cache kept: %s)', async (kept) => {
    const service = await node(0);
    const store = await openLocalStore(directory, { fsync: false });
    stack.defer(() => store.close());
    const engines: StorageManager[] = [];
    for (let i = 0; i < 2; i++) {
      const lines = ['execution:', `  storage_manager_cache_tablets_on_proxy: ${kept}`];
      const engine = await engineOf(service.address, store, { lines });
      stack.defer(() => engine.close());
      engines.push(engine);
    }
    const [one, two] = engines as [StorageManager, StorageManager];
    for (const name of ['a', 'b', 'c']) {
      await commit(one, create(name));
      expect(await relationNames(two)).toContain(name);
      expect(two.current?.version).toBe((await one.latest()).version);
    }
    // Without storage_manager_cache_tablets_on_proxy, each read of the catalog makes a new one.
    const read = await two.latest();
    expect(Object.is(await two.latest(), read)).toBe(kept);
  });

  it('versions that an engine reads are kept until it has finished', async () => {
    const config = 'storage:\n  gc_ttl_seconds: 0';
    const service = await node(0, { config: (await import('./cluster-nodes.ts')).clusterConfig(config) });
    const store = await openLocalStore(directory, { fsync: false });
    stack.defer(() => store.close());
    const engine = await engineOf(service.address, store);
    stack.defer(() => engine.close());
    const t = table('t');
    const tablet = await uploaded(store, t.id);
    await commit(engine, { kind: 'create', object: t }, { kind: 'add_tablet', tablet });
    const pin = engine.pin(await engine.latest());
    await commit(service.manager, {
      kind: 'remove_tablet',
      tableId: t.id,
      tabletId: tablet.id,
      reason: 'delete',
    });
    expect(await engine.collectGarbage(0)).toMatchObject({ tablets: 0 });
    expect(await store.head(tablet.key!)).toBeDefined();
    pin.release();
    // The engine reads nothing any more, and its last snapshot does not hold back garbage.
    expect(await engine.collectGarbage(0)).toMatchObject({ tablets: 1, objects: 1 });
    expect(await store.head(tablet.key!)).toBeUndefined();
  });
});
