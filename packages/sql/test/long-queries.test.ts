import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeQuery, prepareQuery, type RelationResolver } from '../src/index.ts';
import { Dialect, recorded } from './dialect.ts';

/** Texts with it are prepared in a thread. */
const PADDING = ` /* ${'long '.repeat(2_500)} */`;

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
  await dialect.file('f.csv', 'x,y\n1,a\n2,b\n');
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** Other test files of the same process may have started the thread. */
let threads = 0;
subscribe('worker_threads', () => {
  threads += 1;
});

it('long texts are prepared in one thread, and short ones in none', async () => {
  const prepare = async (sql: string, how: typeof prepareQuery | typeof describeQuery = prepareQuery) => {
    const { session, calls } = recorded(dialect.context().session);
    await how(sql, { ...dialect.context(), session });
    return new Set(calls.filter(({ method }) => /scalar/i.test(method)).map(({ method }) => method));
  };
  // The thread encodes the requests of its calls.
  expect(await prepare('SELECT 1')).toEqual(new Set(['scalar']));
  for (const i of [1, 2]) expect(await prepare(`SELECT ${i}${PADDING}`)).toEqual(new Set(['encodedScalar']));
  expect(await prepare(`SELECT 3${PADDING}`, describeQuery)).toEqual(new Set(['encodedScalar']));
  expect(threads).toBeLessThanOrEqual(1);
});

it('a short text that reads a view with a long one is prepared in the thread', async () => {
  const view = (sql: string) => {
    let reads = 0;
    const resolve = async () => {
      reads += 1;
      return { kind: 'view', sql, columnNames: undefined, database: 'tessera', id: 'v' };
    };
    const context = { ...dialect.context(), relations: { resolve } as unknown as RelationResolver };
    return { context, reads: () => reads };
  };
  const short = view('SELECT 1 AS a');
  const long = view(`SELECT 1 AS a${PADDING}`);
  const { columns } = await prepareQuery('SELECT * FROM v', short.context);
  expect((await prepareQuery('SELECT * FROM v', long.context)).columns).toEqual(columns);
  expect((await describeQuery('SELECT * FROM v', long.context)).columns).toEqual(columns);
  // The event loop reads the view, and then the thread does.
  expect([short.reads(), long.reads()]).toEqual([1, 4]);
});

it.each([
  ['numbers and a sum', 'SELECT 1 AS a, 1.5 AS b, sum(2::bigint) AS c'],
  ['a file', "SELECT * FROM READ_CSV('upload://f.csv', HEADER => true) ORDER BY 1 LIMIT 1"],
  ['300 columns', `SELECT ${Array.from({ length: 300 }, (_, i) => `${i} AS c${i}`).join(', ')}`],
  ['a long literal', `SELECT '${'é'.repeat(2_000)}' AS long_text`],
])('a long text is prepared like a short one: %s', async (_, sql) => {
  const short = await prepareQuery(sql, dialect.context());
  const long = await prepareQuery(sql + PADDING, dialect.context());
  expect({ ...long, withOutput: long.withOutput('SELECT 1') }).toEqual({
    ...short,
    withOutput: short.withOutput('SELECT 1'),
  });
});

it('parameters of a long text are described', async () => {
  const sql = 'SELECT $1::int + 1 AS a, upper($2) AS b';
  const described = await describeQuery(sql + PADDING, dialect.context());
  expect(described).toEqual(await describeQuery(sql, dialect.context()));
  expect(described.parameters).toHaveLength(2);
});

it('an error of the context is thrown as it is, and it runs as a part of the query', async () => {
  const query = new AsyncLocalStorage<string>();
  const failure = new Error('the file is gone');
  const seen: (string | undefined)[] = [];
  const context = {
    ...dialect.context(),
    resolveRead: () => {
      seen.push(query.getStore());
      return Promise.reject(failure);
    },
  };
  for (const name of ['first', 'second']) {
    const prepared = query.run(name, () =>
      prepareQuery(`SELECT * FROM READ_CSV('upload://f.csv')${PADDING}`, context),
    );
    await expect(prepared).rejects.toBe(failure);
  }
  expect(seen).toEqual(['first', 'second']);
});

it.each(['SELECT missing', 'SELECT 1 FROM WHERE', "SELECT 'x'::int", 'SELECT 1/0 FROM missing', 'SELECT $3'])(
  'errors of a long text have their place: %s',
  async (sql) => {
    const failure = async (text: string) => {
      const error = await prepareQuery(text, dialect.context()).catch((thrown: unknown) => thrown);
      return error instanceof Error && { ...error, message: error.message };
    };
    expect(await failure(sql + PADDING)).toEqual(await failure(sql));
  },
);
