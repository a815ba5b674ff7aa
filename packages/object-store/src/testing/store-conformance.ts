import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectInfo, ObjectStore } from '../object-store.ts';
import { probeConditionalWrites } from '../probe.ts';

export interface ConformanceOptions {
  /** Called once per suite. Returns a store that may contain objects of earlier runs under other prefixes. */
  readonly open: () => Promise<ObjectStore>;
  /** The size of the file that must be uploaded in parts. */
  readonly largeFileBytes: number;
  /** Azure's emulator sorts U+E000 and above after characters beyond the basic multilingual plane. */
  readonly ordersByCodeUnits?: boolean;
}

/** The contract of every object store, as one suite of tests that runs for each adapter. */
export function describeStoreConformance(name: string, options: ConformanceOptions): void {
  describe(`object store conformance: ${name}`, () => {
    const base = `conformance-${randomUUID()}`;
    let store: ObjectStore;
    let directory: string;
    const key = (rest: string) => `${base}/${rest}`;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tessera-conformance-'));
      store = await options.open();
    });

    afterAll(async () => {
      await store.delete((await listed(store, base)).map((object) => object.key));
      await store.close();
      await rm(directory, { recursive: true });
    });

    it('gives back what was put, and the newest of it', async () => {
      await store.put(key('put/a'), bytes('first'));
      await store.put(key('put/a'), bytes('second'));
      const found = await store.get(key('put/a'));
      expect(text(found?.body)).toBe('second');
      expect(await store.head(key('put/a'))).toMatchObject({
        key: key('put/a'),
        bytes: 6,
        etag: found!.etag,
      });
    });

    it('keeps an empty object', async () => {
      await store.put(key('put/empty'), new Uint8Array());
      expect((await store.get(key('put/empty')))?.body.byteLength).toBe(0);
    });

    it('tells the time of the last change', async () => {
      await store.put(key('put/now'), bytes('x'));
      const info = await store.head(key('put/now'));
      expect(Math.abs(info!.modifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
    });

    it('has nothing where nothing was put', async () => {
      expect(await store.get(key('none'))).toBeUndefined();
      expect(await store.head(key('none'))).toBeUndefined();
      await expect(store.getRange(key('none'), 0, 1)).rejects.toMatchObject({ name: 'OBJECT_NOT_FOUND' });
    });

    it.each([
      [0, 3, '012'],
      [3, 5, '34'],
      [9, 10, '9'],
      [8, 100, '89'],
      [0, 10, '0123456789'],
      [4, 4, ''],
      [10, 20, ''],
      [15, 20, ''],
    ])('reads bytes %i to %i', async (start, end, expected) => {
      await store.put(key('range'), bytes('0123456789'));
      expect(text(await store.getRange(key('range'), start, end))).toBe(expected);
    });

    it('creates only what is absent', async () => {
      expect(await store.putIfAbsent(key('absent'), bytes('mine'))).toBe('created');
      expect(await store.putIfAbsent(key('absent'), bytes('yours'))).toBe('exists');
      expect(text((await store.get(key('absent')))?.body)).toBe('mine');
      await store.delete([key('absent')]);
      expect(await store.putIfAbsent(key('absent'), bytes('again'))).toBe('created');
    });

    it('lets one of twelve at a time create an object', async () => {
      for (let round = 0; round < 3; round++) {
        const bodies = Array.from({ length: 12 }, (_, writer) => `writer ${writer} of round ${round}`);
        const results = await Promise.all(
          bodies.map((body) => store.putIfAbsent(key(`race/${round}`), bytes(body))),
        );
        expect(results.filter((result) => result === 'created')).toHaveLength(1);
        const winner = bodies[results.indexOf('created')];
        expect(text((await store.get(key(`race/${round}`)))?.body)).toBe(winner);
      }
    });

    it('replaces only what is unchanged', async () => {
      await store.put(key('match'), bytes('one'));
      const first = (await store.get(key('match')))!.etag;
      expect(await store.putIfMatch(key('match'), bytes('two'), first)).toBe('replaced');
      expect(await store.putIfMatch(key('match'), bytes('three'), first)).toBe('changed');
      const second = (await store.head(key('match')))!.etag;
      expect(await store.putIfMatch(key('match'), bytes('four'), second)).toBe('replaced');
      expect(text((await store.get(key('match')))?.body)).toBe('four');
      expect(await store.putIfMatch(key('match-none'), bytes('x'), second)).toBe('changed');
      expect(await store.get(key('match-none'))).toBeUndefined();
    });

    it('counts right when eight writers replace one object', async () => {
      await store.put(key('counter'), bytes('0'));
      const increment = async () => {
        for (;;) {
          const found = (await store.get(key('counter')))!;
          const next = bytes(String(Number(text(found.body)) + 1));
          if ((await store.putIfMatch(key('counter'), next, found.etag)) === 'replaced') return;
        }
      };
      await Promise.all(Array.from({ length: 8 }, increment));
      expect(text((await store.get(key('counter')))?.body)).toBe('8');
    });

    it('lists a prefix in the order of bytes, whole', async () => {
      const names = [
        'a',
        'a-b',
        'a.b',
        'a0',
        'aa/x',
        'b/c/d',
        'b/c0',
        'b/c/e f',
        'b/ü',
        'b/\u{1f600}',
        'b/\uffee',
      ];
      await Promise.all(names.map((name) => store.put(key(`list/${name}`), bytes(name))));
      const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      const expected = names.toSorted(options.ordersByCodeUnits ? undefined : byBytes);
      const found = await listed(store, key('list/'));
      expect(found.map((object) => object.key)).toEqual(expected.map((name) => key(`list/${name}`)));
      expect(found.map((object) => object.bytes)).toEqual(expected.map((name) => Buffer.byteLength(name)));
      expect(found[0]!.etag).toBe((await store.head(found[0]!.key))!.etag);
      expect(found[0]!.modifiedAt).toBeInstanceOf(Date);
      for (const [at, object] of found.entries()) {
        const rest = await listed(store, key('list/'), object.key);
        expect(rest.map((other) => other.key)).toEqual(found.slice(at + 1).map((other) => other.key));
      }
      expect((await listed(store, key('list/b/c'))).map((o) => o.key)).toEqual(
        ['b/c/d', 'b/c/e f', 'b/c0'].map((name) => key(`list/${name}`)),
      );
      expect(await listed(store, key('list/zz'))).toEqual([]);
    });

    it('starts a list after a key that is not there', async () => {
      for (const number of [10, 20, 30]) await store.put(key(`after/${number}`), bytes('x'));
      expect((await listed(store, key('after/'), key('after/15'))).map((o) => o.key)).toEqual([
        key('after/20'),
        key('after/30'),
      ]);
      expect(await listed(store, key('after/'), key('after/30'))).toEqual([]);
      expect(await listed(store, key('after/'), key('b'))).toEqual([]);
      expect(await listed(store, key('after/'), key('a'))).toHaveLength(3);
    });

    it('lists and deletes more than one page', async () => {
      const names = Array.from({ length: 1_100 }, (_, n) => key(`pages/${String(n).padStart(5, '0')}`));
      for (let from = 0; from < names.length; from += 100) {
        await Promise.all(names.slice(from, from + 100).map((name) => store.put(name, bytes('x'))));
      }
      expect((await listed(store, key('pages/'))).map((object) => object.key)).toEqual(names);
      await store.delete([...names, key('pages/never-there')]);
      expect(await listed(store, key('pages/'))).toEqual([]);
    });

    it('deletes what is there and does not mind what is not', async () => {
      await store.put(key('delete/a'), bytes('x'));
      await store.delete([key('delete/a'), key('delete/b')]);
      await store.delete([key('delete/a')]);
      await store.delete([]);
      expect(await store.get(key('delete/a'))).toBeUndefined();
    });

    it.each(['space in name', 'per%20cent', 'plus+', 'ünï', 'a=b&c', 'quo\'te"', 'star*[x]?', '.dot', '#x'])(
      'takes the key %s as it is',
      async (name) => {
        await store.put(key(`names/${name}`), bytes(name));
        expect(text((await store.get(key(`names/${name}`)))?.body)).toBe(name);
        expect(text(await store.getRange(key(`names/${name}`), 0, 3))).toBe(
          Buffer.from(name).subarray(0, 3).toString(),
        );
        expect((await listed(store, key(`names/${name}`))).map((object) => object.key)).toEqual([
          key(`names/${name}`),
        ]);
        await store.delete([key(`names/${name}`)]);
        expect(await store.head(key(`names/${name}`))).toBeUndefined();
      },
    );

    it.each([0, 1_000, options.largeFileBytes])('puts a file of %i bytes', async (size) => {
      const body = randomBytes(size);
      const path = join(directory, `file-${size}`);
      await writeFile(path, body);
      await store.putFile(key(`file/${size}`), path);
      await rm(path);
      const found = await store.get(key(`file/${size}`));
      expect(hash(found!.body)).toBe(hash(body));
      const middle = Math.floor(size / 2);
      expect(hash(await store.getRange(key(`file/${size}`), middle, middle + 100))).toBe(
        hash(body.subarray(middle, middle + 100)),
      );
    });

    it('stops when its caller does', async () => {
      const signal = AbortSignal.abort();
      await expect(store.get(key('none'), { signal })).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
      await expect(store.putIfAbsent(key('aborted'), bytes('x'), { signal })).rejects.toMatchObject({
        name: 'QUERY_CANCELLED',
      });
      await expect(listed(store, base, undefined, signal)).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
      expect(await store.get(key('aborted'))).toBeUndefined();
    });

    it('passes the probe of conditional writes, which leaves nothing', async () => {
      const before = await listed(store, 'probe/');
      await probeConditionalWrites(store);
      expect(await listed(store, 'probe/')).toEqual(before);
    });
  });
}

async function listed(
  store: ObjectStore,
  prefix: string,
  startAfter?: string,
  signal?: AbortSignal,
): Promise<ObjectInfo[]> {
  const found: ObjectInfo[] = [];
  const options = {
    ...(startAfter !== undefined && { startAfter }),
    ...(signal !== undefined && { signal }),
  };
  for await (const object of store.list(prefix, options)) found.push(object);
  return found;
}

const bytes = (content: string) => Buffer.from(content);
const text = (body: Uint8Array | undefined) =>
  body === undefined ? undefined : Buffer.from(body).toString();
const hash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
