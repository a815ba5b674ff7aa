import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '@tessera/config';
import { openObjectStore, openStoreAt } from '@tessera/object-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedStore, startSharedStore } from './cluster/shared-store.ts';
import { query, rows } from './http.ts';
import { MAIN } from './programs.ts';
import { startProgram } from './store-servers.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** Large enough that every batch becomes a tablet in the store instead of a part of the log. */
const BATCH = 20_000;
/** A table in another bucket. */
const PLACED = 'SELECT count(*)::int, sum(a)::int, count_if(m = md5(a::text))::int FROM placed';
/** A table in a bucket that only the credentials of its LOCATION object open. */
const GUARDED = PLACED.replace('placed', 'guarded');
const WHOLE = [[BATCH, BATCH * BATCH, BATCH]];

/** The only user who may use the bucket `vault`: the identity of the engine is refused there. */
const VAULT = {
  credentials: { accessKeyId: 'keeper-of-the-vault', secretAccessKey: 'its-secret' },
  buckets: ['vault'],
};

let directory: string;
let shared: SharedStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-backup-'));
  shared = await startSharedStore([VAULT]);
  Object.assign(process.env, shared.env);
});

afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const place = (name: string) => join(directory, name);

/** A configuration file whose tables are in the bucket, below a separate instance id. */
async function configured(
  instance: string,
  storage: object = {
    type: 'minio',
    minio: { endpoint: shared.endpoint },
    bucket_name: 'tables',
    enable_managed_location: true,
    default_s3_endpoint_override: shared.endpoint,
  },
): Promise<string> {
  const path = place(`${instance}.json`);
  await writeFile(path, JSON.stringify({ schema_version: '1.0', instance: { id: instance }, storage }));
  return path;
}

async function run(node: TesseraProcess, sql: string): Promise<void> {
  const answer = await query(node, sql);
  expect(answer.status, `${sql}: ${answer.text}`).toBe(200);
}

const statement = (step: number): string =>
  step % 3 === 0
    ? `DELETE FROM t WHERE batch = ${step - 2}`
    : `INSERT INTO t SELECT ${step}, x, md5((${step} + x)::text) FROM generate_series(1, ${BATCH}) g(x)`;

/** The batches that exist after this many statements are committed. */
function batchesAfter(steps: number): number[] {
  const there = new Set<number>();
  for (let step = 1; step <= steps; step++) step % 3 === 0 ? there.delete(step - 2) : there.add(step);
  return [...there];
}

/** The batches in the table; checks that each contains all of its rows. */
async function batchesOf(node: TesseraProcess): Promise<number[]> {
  const found = await rows(
    node,
    `SELECT batch, count(*)::int, sum(x)::int, count_if(m = md5((batch + x)::text))::int
     FROM t GROUP BY batch ORDER BY batch`,
  );
  for (const [, ...whole] of found) expect(whole).toEqual([BATCH, (BATCH * (BATCH + 1)) / 2, BATCH]);
  // The aggregating index answers this one; its partial rows are objects too.
  const summed = await rows(
    node,
    'SELECT batch, count(*)::int, sum(x)::int FROM t GROUP BY batch ORDER BY batch',
  );
  expect(summed).toEqual(found.map((row) => row.slice(0, 3)));
  const index =
    "SELECT number_of_tablets > 0, rows_without_index::int FROM information_schema.indexes WHERE index_name = 'i'";
  expect(await rows(node, index)).toEqual([[true, 0]]);
  return found.map(([batch]) => batch as number);
}

/** Sends statements one after the other until it is stopped. */
function write(node: TesseraProcess) {
  let [step, stopped] = [0, false];
  const ended = (async () => {
    while (!stopped) {
      await run(node, statement(step + 1));
      step++;
    }
  })();
  return {
    get committed() {
      return step;
    },
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}

/** The output of the command. @throws with its stderr if it fails */
async function tessera(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...shared.env };
  return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout;
}

/**
 * Checks that the node's state is that after one of the statements from `least` to `most`, and returns their
 * number.
 */
async function committedState(node: TesseraProcess, least: number, most: number): Promise<number> {
  const found = await batchesOf(node);
  const candidates = Array.from({ length: most - least + 1 }, (_, i) => least + i);
  const steps = candidates.find((n) => batchesAfter(n).join() === found.join());
  expect(steps, `${found.join()} is no state from ${least} to ${most}`).toBeDefined();
  return steps!;
}

test('a backup that is taken while statements change tables contains one committed state, and can be restored elsewhere', async () => {
  const bounds = { ours: [0, 0], copied: [0, 0] };
  {
    await using original = await startTessera();
    await run(original, 'CREATE TABLE t (batch int, x int, m text) PRIMARY INDEX batch, x');
    await run(original, 'CREATE AGGREGATING INDEX i ON t (batch, md5((x / 3)::text), count(*), sum(x))');
    const writer = write(original);
    await expect.poll(() => writer.committed, { timeout: 30_000 }).toBeGreaterThan(4);
    bounds.ours[0] = writer.committed;
    await tessera('backup', '--data-dir', original.dataDirectory, '--to', place('backup'));
    bounds.ours[1] = writer.committed + 1;
    // The order that docs/operations.md prescribes for copying manually: the log before the objects that it
    // refers to.
    bounds.copied[0] = writer.committed;
    const objects = join(original.dataDirectory, 'objects');
    for (const part of ['meta/ckpt', 'meta/log', 'dv', 'tablets']) {
      await copyFiles(join(objects, part), join(place('copied'), 'objects', part));
      const before = writer.committed;
      await expect.poll(() => writer.committed, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    }
    bounds.copied[1] = writer.committed + 1;
    await writer.stop();
  }

  const restored = await configured('01JZ00000000000000000RESTD');
  await tessera('restore', '--config', restored, '--from', place('backup'));
  {
    await using node = await startTessera({
      args: ['--config', restored, '--allow-url', 's3://vault', '--allow-write', 's3://vault'],
      env: shared.env,
    });
    const steps = await committedState(node, bounds.ours[0]!, bounds.ours[1]!);
    for (let step = steps + 1; step <= steps + 3; step++) await run(node, statement(step));
    expect(await batchesOf(node)).toEqual(batchesAfter(steps + 3));
    await run(node, "CREATE TABLE placed (a int, m text) LOCATION = 's3://lake/raw'");
    await createGuarded(node);
    for (const table of ['placed', 'guarded']) {
      for (const from of [1, BATCH + 1]) await fill(node, table, from);
      await run(node, `DELETE FROM ${table} WHERE a % 2 = 0`);
    }
    expect(await rows(node, PLACED)).toEqual(WHOLE);
    expect(await rows(node, GUARDED)).toEqual(WHOLE);
    await run(node, 'COPY (SELECT a FROM guarded WHERE a < 100) TO vault TYPE = PARQUET');
    await run(
      node,
      "CREATE EXTERNAL TABLE copied (a int) LOCATION = vault OBJECT_PATTERN = '*.parquet' TYPE = (PARQUET)",
    );
    expect(await rows(node, 'SELECT count(*)::int FROM copied')).toEqual([[50]]);
    await tessera('backup', '--config', restored, '--to', 's3://backups/of/the-copy');
    expect(await tessera('backup', '--config', restored, '--to', 's3://backups/of/the-copy')).toContain(
      'Copied 0 objects',
    );
  }
  await expect(tessera('restore', '--config', restored, '--from', place('backup'))).rejects.toThrow(
    'is not empty',
  );
  expect(
    await tessera('restore', '--check', '--config', restored, '--from', 's3://backups/of/the-copy'),
  ).toContain('whole and undamaged');

  // The restored table shares no object with the original.
  const again = await configured('01JZ00000000000000000SECND');
  await tessera('restore', '--config', again, '--from', 's3://backups/of/the-copy');
  const { config } = await loadConfig(again);
  const lake = await openStoreAt('s3://lake', config);
  const vault = await openStoreAt('s3://vault', config, {
    aws_access_key_id: VAULT.credentials.accessKeyId,
    aws_secret_access_key: VAULT.credentials.secretAccessKey,
  });
  const keysInVault = async () => {
    const keys: string[] = [];
    for await (const { key } of vault.list('raw/')) keys.push(key);
    return keys;
  };
  const located: string[] = [];
  for await (const { key } of lake.list('raw/')) located.push(key);
  expect(located).toHaveLength(2);
  await lake.delete(located);
  await lake.close();
  const report = await tessera('repair', '--config', restored);
  for (const key of located) expect(report).toContain(`s3://lake/${key} is missing (the rows)`);
  {
    await using node = await startTessera({ args: ['--config', again], env: shared.env });
    expect(await rows(node, PLACED)).toEqual(WHOLE);
    const ofOriginal = await keysInVault();
    expect(await rows(node, GUARDED)).toEqual(WHOLE);
    await fill(node, 'guarded', 2 * BATCH + 1);
    await run(node, `DELETE FROM guarded WHERE a > ${2 * BATCH}`);
    expect(await rows(node, GUARDED)).toEqual(WHOLE);
    const added = (await keysInVault()).filter((key) => !ofOriginal.includes(key));
    expect(added).toEqual([expect.stringMatching(/^raw\/\w{26}\/tablets\//)]);
    expect((await query(node, 'DROP LOCATION vault')).text).toContain('DEPENDENT_OBJECTS');
    await run(node, 'DROP TABLE guarded');
    await run(node, 'DROP LOCATION vault CASCADE');
  }
  {
    await using node = await startTessera({ args: ['--config', restored], env: shared.env });
    expect(await rows(node, GUARDED)).toEqual(WHOLE);
  }

  await vault.close();

  await using copied = await startTessera({ dataDirectory: place('copied') });
  const steps = await committedState(copied, bounds.copied[0]!, bounds.copied[1]!);
  await run(copied, statement(steps + 1));
}, 300_000);

const fill = (node: TesseraProcess, table: string, from: number) =>
  run(
    node,
    `INSERT INTO ${table} SELECT x, md5(x::text) FROM generate_series(${from}, ${from + BATCH - 1}) g(x)`,
  );

/** Creates the table `guarded`, after other ways to the bucket have been refused. */
async function createGuarded(node: TesseraProcess): Promise<void> {
  const location = (accessKeyId: string) =>
    `CREATE OR REPLACE LOCATION vault WITH SOURCE = AMAZON_S3 URL = 's3://vault/raw/'
     CREDENTIALS = (AWS_ACCESS_KEY_ID = '${accessKeyId}' AWS_SECRET_ACCESS_KEY = '${VAULT.credentials.secretAccessKey}')`;
  const refused = async (sql: string, name: string) =>
    expect((await query(node, sql)).text, sql).toContain(name);
  const create = 'CREATE TABLE guarded (a int, m text) PRIMARY INDEX a LOCATION = vault';
  await refused("CREATE TABLE x (a int) LOCATION = 's3://vault/raw'", 'STORAGE_UNAVAILABLE');
  await refused(`CREATE TABLE x (a int) LOCATION = 's3://${'0'.repeat(26)}@vault/raw'`, 'NOT_SUPPORTED');
  await run(node, location('somebody-else'));
  await refused(create, 'STORAGE_UNAVAILABLE');
  await run(node, location(VAULT.credentials.accessKeyId));
  await run(node, create);
  const ddl = "SELECT ddl FROM information_schema.tables WHERE table_name = 'guarded'";
  expect(String(await rows(node, ddl))).toContain('LOCATION = vault');
}

/** The emulators of Google Cloud Storage and Azure. In both, the identity of the engine does not open the bucket `vault`. */
async function startClouds(stack: AsyncDisposableStack) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const client_email = 'keeper@vault.iam.gserviceaccount.com';
  const vaultOfGoogle = { bucket: 'vault', account: client_email, publicKey };
  const buckets = JSON.stringify(['tables', vaultOfGoogle]);
  const gcs = await startProgram<{ endpoint: string }>('fake-gcs', buckets);
  stack.defer(gcs.stop);
  const azurite = await startProgram<{ connectionString: string; sasToken: string }>('azurite');
  stack.defer(azurite.stop);
  const { connectionString, sasToken } = azurite.facts;
  const withWrongKey = connectionString.replace(/AccountKey=..../, 'AccountKey=AAAA');
  const env = { STORAGE_EMULATOR_HOST: gcs.facts.endpoint };
  return {
    serviceAccountKey: JSON.stringify({ client_email, private_key: privateKey, private_key_id: 'k' }),
    sasToken,
    refusedByAzure: { ...env, AZURE_STORAGE_CONNECTION_STRING: withWrongKey },
    knownToBoth: { ...env, AZURE_STORAGE_CONNECTION_STRING: connectionString },
  };
}

/** The rows of the tables at both vaults after `fillVaults`. */
const SUMS = (table: string) => `SELECT count(*)::int, count_if(m = md5(a::text))::int FROM ${table}`;
const HALF = [[BATCH, BATCH]];

/** Creates tables at both vaults after their buckets have been refused, changes them, and copies from and to them. */
async function useVaults(node: TesseraProcess, serviceAccountKey: string, sasToken: string): Promise<void> {
  const refused = async (sql: string, name: string) =>
    expect((await query(node, sql)).text, sql).toContain(name);
  for (const url of ['gs://vault/raw', 'azure://devstoreaccount1/vault/raw'])
    await refused(`CREATE TABLE x (a int) LOCATION = '${url}'`, 'STORAGE_UNAVAILABLE');
  const google = "SOURCE = GOOGLE_CLOUD_STORAGE URL = 'gs://vault/raw/'";
  const azure = "SOURCE = AZURE_BLOB_STORAGE URL = 'azure://devstoreaccount1/vault/raw/'";
  const key = (text: string) => `CREDENTIALS = (GOOGLE_SERVICE_ACCOUNT_KEY = '${text}')`;
  const sas = (text: string) => `CREDENTIALS = (AZURE_SAS_TOKEN = '${text}')`;
  await run(node, `CREATE LOCATION g WITH ${google} ${key(serviceAccountKey.replace('keeper', 'somebody'))}`);
  await run(node, `CREATE LOCATION a WITH ${azure} ${sas(sasToken.replace(/sig=.../, 'sig=AAA'))}`);
  for (const name of ['g', 'a'])
    await refused(`CREATE TABLE t_${name} (a int, m text) LOCATION = ${name}`, 'STORAGE_UNAVAILABLE');
  await run(node, `CREATE OR REPLACE LOCATION g WITH ${google} ${key(serviceAccountKey)}`);
  await run(node, `CREATE OR REPLACE LOCATION a WITH ${azure} ${sas(sasToken)}`);
  for (const name of ['g', 'a']) {
    const table = `t_${name}`;
    await run(node, `CREATE TABLE ${table} (a int, m text) PRIMARY INDEX a LOCATION = ${name}`);
    for (const from of [1, BATCH + 1]) await fill(node, table, from);
    await run(node, `DELETE FROM ${table} WHERE a % 2 = 0`);
    await run(node, `VACUUM ${table}`);
    await run(node, `COPY (SELECT a FROM ${table} WHERE a < 100) TO ${name} TYPE = PARQUET`);
    await run(node, `CREATE TABLE copied_${name} (a int)`);
    await run(node, `COPY INTO copied_${name} FROM ${name} WITH PATTERN = '*.parquet' TYPE = PARQUET`);
    const copies = `SELECT count(*)::int FROM copied_${name} NATURAL JOIN READ_PARQUET(LOCATION => '${name}', PATTERN => '*.parquet')`;
    expect(await rows(node, copies)).toEqual([[50]]);
  }
}

test('tables in Google Cloud Storage and Azure, and at locations there with credentials of their own, are like others', async () => {
  await using stack = new AsyncDisposableStack();
  const { serviceAccountKey, sasToken, refusedByAzure, knownToBoth } = await startClouds(stack);
  const managed = { enable_managed_location: true, bucket_name: 'tables' };
  const azure = { type: 'abs', azure: { storage_account_name: 'devstoreaccount1' }, ...managed };
  const inGoogle = await configured('01JZ0000000000000000000GCS', { type: 'gcs', gcp: {}, ...managed });
  const inAzure = await configured('01JZ0000000000000000000ABS', azure);
  Object.assign(process.env, knownToBoth);
  for (const bucket_name of ['tables', 'vault']) {
    const emulator = { type: 'azurite', azure: {}, bucket_name };
    const { config } = await loadConfig(await configured('01JZ0000000000000000000NEW', emulator));
    await (await openObjectStore(config, { dataDirectory: directory })).close();
  }

  const allowed = ['--allow-url', '--allow-write'].flatMap((flag) =>
    ['gs://vault', 'azure://devstoreaccount1/vault'].flatMap((url) => [flag, url]),
  );
  const args = ['--config', inGoogle, ...allowed];
  {
    await using node = await startTessera({ args, env: refusedByAzure });
    await run(node, 'CREATE TABLE t (a int, m text) PRIMARY INDEX a');
    for (const from of [1, BATCH + 1]) await fill(node, 't', from);
    await run(node, 'DELETE FROM t WHERE a % 2 = 0');
    await run(node, 'VACUUM t');
    await useVaults(node, serviceAccountKey, sasToken);
  }
  {
    // Nothing of it was on the disk of that node only.
    await using node = await startTessera({ args, env: refusedByAzure });
    for (const table of ['t', 't_g', 't_a']) expect(await rows(node, SUMS(table)), table).toEqual(HALF);
  }
  const env = { ...process.env, ...refusedByAzure };
  await promisify(execFile)(
    process.execPath,
    [MAIN, 'backup', '--config', inGoogle, '--to', 'gs://tables/backup'],
    { env },
  );
  await tessera('restore', '--config', inAzure, '--from', 'gs://tables/backup');
  await using node = await startTessera({ args: ['--config', inAzure], env: knownToBoth });
  for (const table of ['t', 't_g', 't_a']) {
    expect(await rows(node, SUMS(table)), table).toEqual(HALF);
    await fill(node, table, 2 * BATCH + 1);
    await run(node, `VACUUM ${table}`);
    expect(await rows(node, SUMS(table)), table).toEqual([[2 * BATCH, 2 * BATCH]]);
  }
}, 300_000);

/** Copies the files below a directory, of which a running node may delete some meanwhile. */
async function copyFiles(from: string, to: string): Promise<void> {
  const absent = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  };
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(absent)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    await (entry.isDirectory() ? copyFiles(source, target) : copyFile(source, target).catch(absent));
  }
}
