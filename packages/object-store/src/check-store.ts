import { randomBytes, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineConfig } from '@tessera/config';
import type { ObjectStore, RequestOptions } from './object-store.ts';

/** The check of one call that the engine makes. */
export interface CheckedCall {
  readonly call: string;
  /** `ok` if the store did what the engine expects; `skipped` if an earlier failure leaves nothing to try. */
  readonly outcome: 'ok' | 'failed' | 'skipped';
  /** The reason if it failed. */
  readonly problem?: string;
  /** If the call was refused: the permission that the identity of the engine lacks, in the provider's terms. */
  readonly needs?: string;
}

type Provider = 's3' | 'gcs' | 'azure' | 'local';
type Right = 'read' | 'write' | 'delete' | 'list';

/** The permissions behind each right, by the names of the provider. */
const PERMISSIONS: Readonly<Record<Provider, Readonly<Record<Right, string>>>> = {
  s3: {
    read: 's3:GetObject',
    write: 's3:PutObject and s3:AbortMultipartUpload',
    delete: 's3:DeleteObject',
    list: 's3:ListBucket on the bucket (without it S3 answers 403 for an object that does not exist)',
  },
  gcs: {
    read: 'storage.objects.get (role Storage Object User)',
    write: 'storage.objects.create (role Storage Object User)',
    delete: 'storage.objects.delete (role Storage Object User)',
    list: 'storage.objects.list (role Storage Object User)',
  },
  azure: {
    read: 'the role Storage Blob Data Contributor',
    write: 'the role Storage Blob Data Contributor',
    delete: 'the role Storage Blob Data Contributor',
    list: 'the role Storage Blob Data Contributor',
  },
  local: {
    read: 'read permission in the data directory',
    write: 'write permission in the data directory',
    delete: 'write permission in the data directory',
    list: 'read permission in the data directory',
  },
};

const PROVIDER = { s3: 's3', minio: 's3', gcs: 'gcs', abs: 'azure', azurite: 'azure' } as const;

/** The provider whose permissions a store needs. */
export const providerOf = ({ storage }: EngineConfig, isLocal: boolean): Provider =>
  isLocal ? 'local' : PROVIDER[storage.type];

/** More than one part of a large upload, for every provider. */
const LARGE_BYTES = 17 << 20;
/** A call that fails after this time got no answer at all, rather than a refusal. */
const SILENT_MS = 5_000;
const SMALL = Buffer.from('Written by tessera storage check; may be deleted.\n');
const OTHER = Buffer.from('Written by tessera storage check over the first; may be deleted.\n');

/** The problem is a refusal, which a permission would cure, and no mistake in the place or the credentials. */
const isRefusal = (problem: string): boolean =>
  /access is denied|EACCES|EPERM|EROFS/.test(problem) &&
  !/InvalidAccessKeyId|SignatureDoesNotMatch/.test(problem);

/**
 * Makes every call that the engine makes to its store, on its own objects below `check/`, and yields the
 * outcome of each. A call that needs a right which an earlier call did not have is skipped, so that each missing
 * permission is reported by the calls that need nothing else. It leaves no object behind if the store lets it delete
 * them, and stops if the store does not answer or nothing can be written for another reason than a permission.
 */
export async function* checkStore(
  store: ObjectStore,
  provider: Provider,
  options: RequestOptions = {},
): AsyncGenerator<CheckedCall> {
  const permissions = PERMISSIONS[provider];
  const lacking = new Set<Right>();
  for (const { call, right, after = [], check } of storeChecks(store, options)) {
    if (after.some((one) => lacking.has(one))) {
      yield { call, outcome: 'skipped' };
      continue;
    }
    const startedAt = performance.now();
    const problem = await check(lacking).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      return (error as Error).message;
    });
    if (problem === undefined) {
      yield { call, outcome: 'ok' };
      continue;
    }
    const isRefused = isRefusal(problem);
    if (isRefused) lacking.add(right);
    yield { call, outcome: 'failed', problem, ...(isRefused && { needs: permissions[right] }) };
    // A store that does not answer would otherwise be asked many times for each of the other calls.
    if (performance.now() - startedAt > SILENT_MS || (call === FIRST && !isRefused)) return;
  }
}

const FIRST = 'write an object';

interface StoreCheck {
  readonly call: string;
  readonly right: Right;
  /** Further rights without which the check would say nothing about its own. */
  readonly after?: readonly Right[];
  /** Returns the problem, or undefined. The rights that are lacking are those of earlier calls that failed. */
  readonly check: (lacking: ReadonlySet<Right>) => Promise<string | undefined>;
}

/** The objects of a check. */
interface CheckedKeys {
  readonly prefix: string;
  readonly small: string;
  readonly once: string;
  readonly large: string;
}

/** The checks in the order in which they run: later ones use the objects of earlier ones. */
function storeChecks(store: ObjectStore, options: RequestOptions): readonly StoreCheck[] {
  const prefix = `check/${randomUUID()}/`;
  const keys = { prefix, small: `${prefix}small`, once: `${prefix}once`, large: `${prefix}large` };
  return [
    ...readAndWrite(store, keys, options),
    ...conditions(store, keys, options),
    ...manyBytesAndObjects(store, keys, options),
  ];
}

function readAndWrite(
  store: ObjectStore,
  { small }: CheckedKeys,
  options: RequestOptions,
): readonly StoreCheck[] {
  return [
    {
      call: FIRST,
      right: 'write',
      check: async () => {
        await store.put(small, SMALL, options);
        return undefined;
      },
    },
    {
      call: 'read an object',
      right: 'read',
      after: ['write'],
      check: async () => expected((await store.get(small, options))?.body, SMALL),
    },
    {
      call: 'read a range of an object',
      right: 'read',
      after: ['write'],
      check: async () => expected(await store.getRange(small, 3, 9, options), SMALL.subarray(3, 9)),
    },
    {
      call: 'read the size of an object',
      right: 'read',
      after: ['write'],
      check: async () => {
        const bytes = (await store.head(small, options))?.bytes;
        return bytes === SMALL.length
          ? undefined
          : `it answers ${bytes ?? 'no'} bytes instead of ${SMALL.length}`;
      },
    },
  ];
}

function conditions(
  store: ObjectStore,
  { prefix, once }: CheckedKeys,
  options: RequestOptions,
): readonly StoreCheck[] {
  return [
    {
      call: 'notice that an object does not exist',
      right: 'list',
      after: ['read'],
      check: async () =>
        (await store.get(`${prefix}missing`, options)) === undefined
          ? undefined
          : 'it answers with an object that was never written',
    },
    {
      call: 'create an object only if there is none',
      right: 'write',
      after: ['write', 'read'],
      check: async () => {
        await store.putIfAbsent(once, SMALL, options);
        const again = await store.putIfAbsent(once, OTHER, options);
        if (again !== 'exists') return 'it overwrites an object that exists (If-None-Match is ignored)';
        return expected((await store.get(once, options))?.body, SMALL);
      },
    },
    {
      call: 'replace an object only if it has not changed',
      right: 'write',
      after: ['write', 'read'],
      check: async () => {
        const etag = (await store.head(once, options))?.etag ?? '';
        if ((await store.putIfMatch(once, OTHER, etag, options)) !== 'replaced')
          return 'it refuses to replace an object that has not changed (If-Match)';
        return (await store.putIfMatch(once, SMALL, etag, options)) === 'changed'
          ? undefined
          : 'it replaces an object that has changed (If-Match is ignored)';
      },
    },
  ];
}

function manyBytesAndObjects(
  store: ObjectStore,
  { prefix, small, once, large }: CheckedKeys,
  options: RequestOptions,
): readonly StoreCheck[] {
  return [
    {
      call: 'write a large object in parts',
      right: 'write',
      after: ['write', 'read'],
      check: async () => {
        const path = join(tmpdir(), `tessera-storage-check-${randomUUID()}`);
        try {
          await writeFile(path, randomBytes(LARGE_BYTES));
          await store.putFile(large, path, options);
        } finally {
          await rm(path, { force: true });
        }
        const bytes = (await store.head(large, options))?.bytes;
        return bytes === LARGE_BYTES ? undefined : `the object has ${bytes ?? 'no'} bytes of ${LARGE_BYTES}`;
      },
    },
    {
      call: 'list objects',
      right: 'list',
      check: async (lacking) => {
        const found: string[] = [];
        for await (const { key } of store.list(prefix, options)) found.push(key);
        return lacking.has('write') || found.includes(small)
          ? undefined
          : 'the listing lacks an object that was just written';
      },
    },
    {
      call: 'delete objects',
      right: 'delete',
      check: async (lacking) => {
        await store.delete([small, once, large], options);
        if (lacking.has('read') || lacking.has('list')) return undefined;
        return (await store.head(small, options)) === undefined ? undefined : 'the object is still there';
      },
    },
  ];
}

const expected = (found: Uint8Array | undefined, wanted: Uint8Array): string | undefined =>
  found !== undefined && Buffer.compare(found, wanted) === 0
    ? undefined
    : 'it answers other bytes than were written';
