import type { TesseraError } from '@tessera/common';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ChangeTarget,
  classifyStatement,
  deleteQuery,
  insertQuery,
  mergeQuery,
  prepareQuery,
  type RelationResolver,
  updateQuery,
} from '../src/index.ts';
import { Dialect } from './dialect.ts';

/**
 * Random changes of a small table: the rows that our queries write must equal those that the kernel's own
 * statement writes.
 */
const T: ChangeTarget = {
  name: 't',
  columns: [
    { name: 'id', storedName: 'id', type: 'INTEGER', nullable: true },
    { name: 'a', storedName: 'a', type: 'INTEGER', nullable: true, defaultSql: '40 + 2' },
    { name: 'b', storedName: 'b', type: 'VARCHAR', nullable: true },
  ],
};
const DEFINITION = '(id INTEGER, a INTEGER DEFAULT 40 + 2, b VARCHAR)';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const relations: Pick<RelationResolver, 'resolve'> = {
  resolve: async ({ name }) =>
    name === 't' || name === 's'
      ? { kind: 'temporary', database: 'temp', name: name === 't' ? 'positions' : 's', ofSystem: false }
      : undefined,
};

const numbers = fc.constantFrom('NULL', '0', '1', '2', '3', '7');
const texts = fc.constantFrom('NULL', "'x'", "'y'", "''");

/** Expressions over the visible columns. */
function number(...columns: readonly string[]): fc.Arbitrary<string> {
  const leaf = fc.oneof(numbers, fc.constantFrom(...columns));
  const pair = fc.tuple(leaf, leaf);
  return fc.oneof(
    leaf,
    pair.map(([l, r]) => `${l} + ${r}`),
    pair.map(([l, r]) => `coalesce(${l}, ${r})`),
    pair.map(([l, r]) => `CASE WHEN ${l} IS DISTINCT FROM ${r} THEN ${l} ELSE 5 END`),
  );
}

function condition(...columns: readonly string[]): fc.Arbitrary<string> {
  const side = number(...columns);
  return fc.oneof(
    fc
      .tuple(side, fc.constantFrom('=', '<', '>=', '<>', 'IS NOT DISTINCT FROM'), side)
      .map((parts) => parts.join(' ')),
    side.map((value) => `(${value}) IS NOT NULL`),
    side.map((value) => `${value} IN (1, 2, NULL) OR false`),
  );
}

const OF_TABLE = ['t.id', 't.a'] as const;
const OF_BOTH = [...OF_TABLE, 's.id', 's.v'] as const;

const set = (...columns: readonly string[]) =>
  fc.oneof(
    fc.tuple(number(...columns)).map(([value]) => `a = ${value}`),
    fc.tuple(number(...columns), texts).map(([value, text]) => `id = ${value}, b = ${text}`),
    texts.map((text) => `a = DEFAULT, b = ${text}`),
  );

const update = fc.oneof(
  fc.tuple(set(...OF_TABLE), condition(...OF_TABLE)).map(([s, c]) => `UPDATE t SET ${s} WHERE ${c}`),
  fc
    .tuple(set(...OF_BOTH), condition(...OF_BOTH))
    .map(([s, c]) => `UPDATE t SET ${s} FROM s WHERE t.id = s.id AND (${c})`),
);
const deletion = fc.oneof(
  condition(...OF_TABLE).map((c) => `DELETE FROM t WHERE ${c}`),
  condition(...OF_BOTH).map((c) => `DELETE FROM t USING s WHERE t.id = s.id AND (${c})`),
  fc.constant('DELETE FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id)'),
);

const and = (c: string | null) => (c === null ? '' : ` AND (${c})`);
const clauses = fc.array(
  fc.oneof(
    fc
      .tuple(fc.option(condition(...OF_BOTH)), fc.oneof(set(...OF_BOTH), fc.constant(undefined)))
      .map(([c, s]) => `WHEN MATCHED${and(c)} THEN ${s === undefined ? 'DELETE' : `UPDATE SET ${s}`}`),
    fc
      .tuple(fc.option(condition('s.id', 's.v')), number('s.id', 's.v'), texts)
      .map(([c, n, x]) => `WHEN NOT MATCHED${and(c)} THEN INSERT (b, id) VALUES (${x}, ${n})`),
    fc
      .tuple(fc.option(condition(...OF_TABLE)), fc.oneof(set(...OF_TABLE), fc.constant(undefined)))
      .map(
        ([c, s]) =>
          `WHEN NOT MATCHED BY SOURCE${and(c)} THEN ${s === undefined ? 'DELETE' : `UPDATE SET ${s}`}`,
      ),
    fc.option(condition(...OF_BOTH)).map((c) => `WHEN MATCHED${and(c)} THEN DO NOTHING`),
  ),
  { minLength: 1, maxLength: 4 },
);
const merge = clauses.map((list) => `MERGE INTO t USING s ON t.id = s.id ${list.join(' ')}`);

const insert = fc.oneof(
  fc
    .array(fc.tuple(fc.oneof(numbers, fc.constant('DEFAULT')), texts), { minLength: 1, maxLength: 3 })
    .map((rows) => `INSERT INTO t (a, b) VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')}`),
  number('s.id', 's.v').map((value) => `INSERT INTO t (b, id) SELECT 'q', ${value} FROM s`),
  fc.constant('INSERT INTO t (id) SELECT id FROM t'),
  fc.constant('INSERT INTO t DEFAULT VALUES'),
);

const rows = fc.array(fc.tuple(numbers, numbers, texts), { maxLength: 5 });
const sources = fc.uniqueArray(fc.tuple(fc.constantFrom('0', '1', '2', '3', '9'), numbers), {
  maxLength: 4,
  selector: ([id]) => id,
});

test('changes do what the statements of the kernel do', async () => {
  const { session } = dialect.context();
  const list = (values: readonly (readonly string[])[]) =>
    values.map((row) => `(${row.join(', ')})`).join(', ');
  const contents = async (table: string) =>
    session.scalar(
      `SELECT CAST(list(r ORDER BY r) AS VARCHAR) FROM (SELECT row(id, a, b) AS r FROM ${table})`,
    );
  await fc.assert(
    fc.asyncProperty(
      rows,
      sources,
      fc.oneof(insert, update, deletion, merge),
      async (before, source, sql) => {
        for (const table of ['t', 'ours']) {
          await session.execute(`CREATE OR REPLACE TEMP TABLE ${table} ${DEFINITION}`);
          if (before.length > 0) await session.execute(`INSERT INTO ${table} VALUES ${list(before)}`);
        }
        await session.execute('CREATE OR REPLACE TEMP TABLE s (id INTEGER, v INTEGER)');
        if (source.length > 0) await session.execute(`INSERT INTO s VALUES ${list(source)}`);
        await session.execute(
          'CREATE OR REPLACE TEMP TABLE positions AS SELECT *, 0 AS "$tablet", rowid AS "$row" FROM ours',
        );
        const refused = await apply(sql).catch((error: TesseraError) => error.name);
        // A clause that can never apply is refused here, as in PostgreSQL; the kernel refuses only some of
        // them.
        if (refused === 'SYNTAX_ERROR') return;
        const refusedByKernel = await session.execute(sql).then(
          () => undefined,
          (error: TesseraError) => error.name,
        );
        expect(refused).toBe(refusedByKernel);
        expect(await contents('ours')).toBe(await contents('t'));
      },
    ),
    { numRuns: 100 },
  );

  /** Applies the rows of our query to the table `ours`. */
  async function apply(sql: string): Promise<undefined> {
    const statement = classifyStatement(sql);
    const context = { ...dialect.context(), relations: relations as RelationResolver };
    if (statement.kind === 'insert') {
      const query = insertQuery(statement, T, sql);
      await session.execute(`INSERT INTO ours ${query.rows(await prepareQuery(query.sql, context))}`);
      return undefined;
    }
    const isMerge = statement.kind === 'merge';
    const query = isMerge
      ? mergeQuery(statement, T, sql)
      : statement.kind === 'update'
        ? updateQuery(statement, T, sql)
        : statement.kind === 'delete'
          ? deleteQuery(statement, T, sql)
          : undefined;
    const bound = await prepareQuery(query!.sql, context);
    await session.execute(`CREATE OR REPLACE TEMP TABLE changed AS ${bound.sql}`);
    expect(await session.scalar('SELECT count("$row") = count(DISTINCT "$row") FROM changed')).toBe(true);
    await session.execute('DELETE FROM ours WHERE rowid IN (SELECT "$row" FROM changed)');
    if (statement.kind === 'delete') return undefined;
    const stored = isMerge ? `WHERE "$action" IN ('insert', 'update')` : '';
    await session.execute(`INSERT INTO ours SELECT id, a, b FROM changed ${stored}`);
    return undefined;
  }
});
