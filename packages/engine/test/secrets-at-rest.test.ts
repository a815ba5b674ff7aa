import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@tessera/config';
import { openObjectStore } from '@tessera/object-store';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type SharedStore, startSharedStore } from './cluster/shared-store.ts';
import { query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** These tests follow the credentials of locations through the bucket, errors and the log. */
const KEY = randomBytes(32).toString('base64');
const CLEAR = 'clear-text-of-an-earlier-version';
let directory: string;
let dataDirectory: string;
let shared: SharedStore;
let configPath: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-secrets-'));
  dataDirectory = join(directory, 'data');
  shared = await startSharedStore();
  for (const [name, value] of Object.entries(shared.env)) vi.stubEnv(name, value);
  configPath = join(directory, 'tessera.json');
  const { endpoint } = shared;
  const storage = {
    type: 'minio',
    minio: { endpoint },
    bucket_name: 'lake',
    default_s3_endpoint_override: endpoint,
  };
  await writeFile(configPath, JSON.stringify({ schema_version: '1.0', storage }));
});

afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

async function start(env: Readonly<Record<string, string>>): Promise<TesseraProcess> {
  const node = await startTessera({
    dataDirectory,
    args: ['--config', configPath, '--allow-url', 's3://lake/out', '--allow-write', 's3://lake/out'],
    env: { ...shared.env, ...env },
  });
  // The process is stopped even if the test fails.
  onTestFinished(() => void node.child.kill('SIGKILL'));
  return node;
}

async function run(node: TesseraProcess, sql: string): Promise<void> {
  const answer = await query(node, sql);
  expect(answer.status, answer.text).toBe(200);
}

const failure = async (node: TesseraProcess, sql: string) => (await query(node, sql)).json().errors[0];

function location(name: string, secret: string): string {
  return `CREATE LOCATION ${name} WITH SOURCE = AMAZON_S3 URL = 's3://lake/out/p/'
    CREDENTIALS = (AWS_KEY_ID = '${shared.env['AWS_ACCESS_KEY_ID']}' AWS_SECRET_KEY = '${secret}')`;
}

/** Everything that the metadata log contains, as text. */
async function metadata(): Promise<string> {
  const { config } = await loadConfig(configPath);
  const store = await openObjectStore(config, { dataDirectory });
  const texts: string[] = [];
  for await (const { key } of store.list('meta/'))
    texts.push(Buffer.from((await store.get(key))!.body).toString('latin1'));
  await store.close();
  return texts.join('\n');
}

test('credentials are encrypted in the bucket with the key of the environment, and are used with it alone', async () => {
  const secret = shared.env['AWS_SECRET_ACCESS_KEY']!;
  {
    const node = await start({ TESSERA_SECRETS_KEY: KEY });
    await run(node, "COPY (SELECT 7 AS a) TO 's3://lake/out/p/1.parquet'");
    await run(node, location('lake', secret));
    await run(
      node,
      "CREATE EXTERNAL TABLE in_lake (a int) LOCATION = lake OBJECT_PATTERN = '*.parquet' TYPE = (PARQUET)",
    );
    expect(await rows(node, 'SELECT a FROM in_lake')).toEqual([[7]]);
    await node.stop();
  }
  const stored = await metadata();
  expect(stored).toContain('sealed:1:');
  expect(stored).not.toContain(secret);
  {
    const node = await start({});
    expect(await failure(node, 'SELECT a FROM in_lake')).toMatchObject({ name: 'SECRET_KEY_MISSING' });
    // Without a key, the secret is stored in clear text, as earlier versions did.
    await run(node, location('unsealed', CLEAR));
    await node.stop();
  }
  expect(await metadata()).toContain(CLEAR);
  const node = await start({ TESSERA_SECRETS_KEY: `${randomBytes(32).toString('hex')},${KEY}` });
  expect(await rows(node, 'SELECT a FROM in_lake')).toEqual([[7]]);
  await node.stop();
});

test('a statement with a mistake does not show its secrets in the error, the log or the history', async () => {
  const secret = 'hidden/K7MDENG-bPxRfi';
  const node = await start({ TESSERA_SECRETS_KEY: KEY });
  const options = `SOURCE = AMAZON_S3 URL = 's3://lake/out/p/' CREDENTIALS = (AWS_KEY_ID = 'x' AWS_SECRET_KEY`;
  const mistakes = [
    `CREATE LOCATION l WITH ${options} = '${secret}'`,
    `CREATE LOCATION l WITH ${options} '${secret}')`,
    `CREATE LOCATION l WITH ${options} = = '${secret}')`,
    `CREATE LOCATION l WITH ${options} = '${secret}') '${secret}'`,
    `CREATE LOCATION l WITH ${options} = '${secret})`,
    `CREATE LOCATION l WITH ${options} = '' '${secret}')`,
    `CREATE LOCATION l SOURCE = AMAZON_S3 AWS_SECRET_KEY = '${secret}'`,
    `CREATE LOCATON l WITH ${options} = '${secret}')`,
    `CREAT LOCATION l WITH ${options} = '${secret}')`,
    `CREATE LOCATION l WITH ${options.replace('AMAZON_S3', 'AMAZON')} = '${secret}')`,
  ];
  for (const sql of mistakes) {
    const answer = await query(node, sql);
    expect(answer.status, sql).toBeGreaterThanOrEqual(400);
    expect(answer.text, sql).not.toContain(secret);
  }
  const history = await rows(
    node,
    'SELECT query_text, query_text_normalized, error_message FROM information_schema.engine_query_history',
  );
  expect(JSON.stringify(history)).not.toContain(secret);
  await node.stop();
  expect(JSON.stringify(node.log)).not.toContain(secret);
});
