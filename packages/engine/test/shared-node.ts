import { rmSync } from 'node:fs';
import { quoteName } from '@tessera/kernel';
import { expect } from 'vitest';
import { query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** A node that a test file must not stop and whose log also has the records of other files. */
export type SharedNode = Pick<TesseraProcess, 'url' | 'postgres' | 'healthUrl' | 'metricsUrl'> &
  AsyncDisposable;

/** The schemas, and what is in no schema, in the order in which they can be dropped. */
const OBJECTS = `
  SELECT kind, name FROM (
    SELECT 1 AS turn, 'SCHEMA' AS kind, schema_name AS name FROM information_schema.schemata WHERE schema_name !~ '^pg_'
    UNION ALL SELECT 2, 'DATABASE', catalog_name FROM information_schema.catalogs
    UNION ALL SELECT 3, 'LOCATION', location_name FROM information_schema.locations
    UNION ALL SELECT 4, 'USER', user_name FROM information_schema.users
    UNION ALL SELECT 5, 'ROLE', role_name FROM information_schema.roles
  ) AS objects ORDER BY turn, name`;

let running: Promise<{ readonly node: TesseraProcess; readonly initial: ReadonlySet<string> }> | undefined;
/** The test file that has the node. */
let takenBy: string | undefined;

/**
 * A node with an empty database. The test files of one process get the same node, one after another: a node that has just started
 * takes several times the CPU time for its first statements. The disposal drops what the file has created. Files that test the
 * start, the end, the metrics or the history of a node start their own.
 */
export async function takeSharedNode(): Promise<SharedNode> {
  const { testPath } = expect.getState();
  if (takenBy !== undefined) {
    if (takenBy === testPath) throw new Error('This file has taken the shared node already');
    // The disposal of an earlier file failed before it returned the node.
    running = undefined;
  }
  takenBy = testPath;
  running ??= start();
  const { node, initial } = await running;
  const { url, postgres, healthUrl, metricsUrl } = node;
  return {
    url,
    postgres,
    healthUrl,
    metricsUrl,
    [Symbol.asyncDispose]: async () => {
      takenBy = undefined;
      try {
        await empty(node, initial);
      } catch (error) {
        // The next file gets another node.
        running = undefined;
        await node[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

async function start() {
  const node = await startTessera({ args: ['--postgres-port', '0'] });
  const end = () => {
    node.child.kill('SIGKILL');
    rmSync(node.dataDirectory, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', end);
  // Vitest ends its processes with this signal, and then no `exit` is emitted.
  process.once('SIGTERM', () => {
    end();
    process.exit();
  });
  return { node, initial: new Set(await objectsOf(node)) };
}

const objectsOf = async (node: TesseraProcess): Promise<readonly string[]> =>
  (await rows(node, OBJECTS)).map(([kind, name]) => `${kind} ${quoteName(String(name))}`);

async function empty(node: TesseraProcess, initial: ReadonlySet<string>): Promise<void> {
  const run = async (sql: string) => {
    const { status, text } = await query(node, sql);
    if (status !== 200) throw new Error(`${sql}: ${text}`);
  };
  const created = async () => (await objectsOf(node)).filter((object) => !initial.has(object));
  await run('DROP SCHEMA public CASCADE');
  for (const object of await created()) {
    await run(`DROP ${object}${/^(?:SCHEMA|DATABASE)/.test(object) ? ' CASCADE' : ''}`);
  }
  await run('CREATE SCHEMA public');
  await run('GRANT USAGE ON SCHEMA public TO public');
  const left = await created();
  if (left.length > 0) throw new Error(`The shared node still has ${left.join(', ')}`);
}
