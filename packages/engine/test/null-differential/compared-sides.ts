import pg from 'pg';
import { takeSharedNode } from '../shared-node.ts';
import { startPostgres } from './postgres-reference.ts';

/** Values are compared in the text format of the servers. */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/** Clients of a Tessera node and of a PostgreSQL server that run the same queries. */
export interface ComparedSides extends AsyncDisposable {
  readonly ours: pg.Client;
  readonly theirs: pg.Client;
}

/** @param programs the directory of PostgreSQL's programs (`postgresPrograms`) */
export async function startSides(programs: string): Promise<ComparedSides> {
  await using started = new AsyncDisposableStack();
  const node = started.use(await takeSharedNode());
  const reference = started.use(await startPostgres(programs));
  const [host = '', port = ''] = node.postgres.split(':');
  const ours = new pg.Client({
    host,
    port: Number(port),
    database: 'tessera',
    user: 'alice',
    types: AS_TEXT,
  });
  const theirs = new pg.Client({
    host: reference.host,
    database: 'postgres',
    user: 'postgres',
    types: AS_TEXT,
  });
  for (const client of [ours, theirs]) {
    await client.connect();
    started.defer(() => client.end());
  }
  const resources = started.move();
  return { ours, theirs, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
