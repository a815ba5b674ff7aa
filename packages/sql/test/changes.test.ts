import { TesseraError } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ChangeQuery,
  type ChangeTarget,
  classifyStatement,
  deleteQuery,
  insertQuery,
  type MergeStatement,
  mergedTwice,
  mergeQuery,
  prepareQuery,
  type RelationResolver,
  type Statement,
  updateQuery,
} from '../src/index.ts';
import { Dialect } from './dialect.ts';

const T: ChangeTarget = {
  name: 't',
  columns: [
    { name: 'id', storedName: 'id', type: 'INTEGER', nullable: false },
    { name: 'name', storedName: 'label', type: 'VARCHAR', nullable: true, defaultSql: "'none' || 1" },
    { name: 'price', storedName: 'price', type: 'DECIMAL(38,9)', nullable: true },
    { name: 'day', storedName: 'day', type: 'DATE', nullable: true },
  ],
};

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
  const { session } = dialect.context();
  await session.execute(`CREATE TEMP TABLE rel_t AS SELECT id, name, price::DECIMAL(38,9) AS price, day::DATE AS day,
      7 AS "$tablet", (row_number() OVER () - 1)::BIGINT AS "$row"
    FROM (VALUES (1, 'a', 1.5, '2024-01-01'), (2, 'b', 2.5, NULL), (3, NULL, NULL, NULL)) v(id, name, price, day)`);
  await session.execute(
    "CREATE TEMP TABLE rel_u AS SELECT * FROM (VALUES (1, 'x'), (1, 'y'), (3, 'z'), (9, 'w')) v(id, v)",
  );
  await session.execute(
    "CREATE TEMP TABLE rel_s AS SELECT * FROM (VALUES (1, 'x'), (3, 'z'), (9, 'w')) v(id, v)",
  );
});
afterAll(() => dialect[Symbol.asyncDispose]());

const relations: Pick<RelationResolver, 'resolve'> = {
  resolve: async ({ name }) =>
    ['t', 'u', 's'].includes(name)
      ? { kind: 'temporary', database: 'temp', name: `rel_${name}`, ofSystem: false }
      : undefined,
};

/** The rows that a statement wants to write, with their columns. */
async function changed(sql: string): Promise<{ columns: string[]; rows: unknown[][] }> {
  const change = changeOf(sql, classifyStatement(sql));
  const context = { ...dialect.context(), relations: relations as RelationResolver };
  try {
    const bound = await prepareQuery(change.sql, context);
    const final = 'rows' in change ? change.rows(bound) : bound.sql;
    const { columns } = await context.session.describe(final);
    const items = columns.map((c) => `CAST("${c.name}" AS VARCHAR)`).join(', ');
    const list = await context.session.scalar(
      `SELECT CAST(to_json(list(r ORDER BY r)) AS VARCHAR) FROM (SELECT [${items}] AS r FROM (${final}))`,
    );
    const rows = list === null ? [] : (JSON.parse(String(list)) as unknown[][]);
    return { columns: columns.map((c) => c.name), rows };
  } catch (error) {
    throw change.explain(error);
  }
}

function changeOf(
  sql: string,
  statement: Statement,
): ChangeQuery & { rows?: ReturnType<typeof insertQuery>['rows'] } {
  switch (statement.kind) {
    case 'insert':
      return insertQuery(statement, T, sql);
    case 'update':
      return updateQuery(statement, T, sql);
    case 'delete':
      return deleteQuery(statement, T, sql);
    case 'merge':
      return mergeQuery(statement, T, sql);
    default:
      throw new Error(`no change: ${statement.kind}`);
  }
}

const STORED = ['id', 'label', 'price', 'day'];
const NONE = 'none1';

const INSERTS: readonly (readonly [sql: string, rows: readonly (readonly (string | null)[])[]])[] = [
  ["INSERT INTO t VALUES (1, 'a', 2, '2024-02-03')", [['1', 'a', '2.000000000', '2024-02-03']]],
  ['INSERT INTO t VALUES (1)', [['1', NONE, null, null]]],
  ["INSERT INTO t VALUES ('1', DEFAULT, DEFAULT)", [['1', NONE, null, null]]],
  [
    'INSERT INTO t (price, id) VALUES (1.25, 2), (NULL, 1 + 2)',
    [
      ['2', NONE, '1.250000000', null],
      ['3', NONE, null, null],
    ],
  ],
  // Every digit is kept, and rows of one column need no common type.
  [
    "INSERT INTO t (id, name, day) VALUES (1, 2, '2024-01-01'), ('2', 'x', '2024-01-02 10:00'::timestamp)",
    [
      ['1', '2', null, '2024-01-01'],
      ['2', 'x', null, '2024-01-02'],
    ],
  ],
  [
    'INSERT INTO t (id, price) VALUES (1, 12345678901234567890.123456789)',
    [['1', NONE, '12345678901234567890.123456789', null]],
  ],
  [
    'INSERT INTO t (id, price) SELECT 1, 12345678901234567890.123456789',
    [['1', NONE, '12345678901234567890.123456789', null]],
  ],
  ['INSERT INTO t SELECT 5', [['5', NONE, null, null]]],
  ["INSERT INTO t SELECT 5, 'q'", [['5', 'q', null, null]]],
  ["INSERT INTO t (day, id) SELECT '2024-01-01 10:00'::timestamp, 2.6", [['3', NONE, null, '2024-01-01']]],
  [
    'INSERT INTO t (id, name) SELECT id, id FROM s WHERE id > 1 -- end',
    [
      ['3', '3', null, null],
      ['9', '9', null, null],
    ],
  ],
  ['WITH w AS (SELECT 4 AS n) INSERT INTO t (id) SELECT n FROM w', [['4', NONE, null, null]]],
  ['WITH w AS (SELECT 4 AS n) INSERT INTO t (id) VALUES ((SELECT n FROM w))', [['4', NONE, null, null]]],
  ['INSERT INTO t (id) (VALUES (7))', [['7', NONE, null, null]]],
  [
    'INSERT INTO t (id) VALUES (7) UNION ALL SELECT 8',
    [
      ['7', NONE, null, null],
      ['8', NONE, null, null],
    ],
  ],
  ['INSERT INTO t (id) VALUES (2), (1) ORDER BY 1 LIMIT 1', [['1', NONE, null, null]]],
];

describe('INSERT', () => {
  test.for(INSERTS)('%s', async ([sql, rows]) => {
    expect(await changed(sql)).toEqual({ columns: STORED, rows });
  });
});

const POSITIONS = ['$tablet', '$row'];

const UPDATES: readonly (readonly [sql: string, rows: readonly (readonly (string | null)[])[]])[] = [
  ["UPDATE t SET name = 'q' WHERE id = 2", [['7', '1', '2', 'q', '2.500000000', null]]],
  ['UPDATE t SET id = id + 1, price = id WHERE id < 2', [['7', '0', '2', 'a', '1.000000000', '2024-01-01']]],
  [
    "UPDATE t AS x SET name = DEFAULT, day = '2024-05-06' WHERE x.id = 3",
    [['7', '2', '3', NONE, null, '2024-05-06']],
  ],
  [
    'UPDATE t SET name = s.v FROM s WHERE s.id = t.id',
    [
      ['7', '0', '1', 'x', '1.500000000', '2024-01-01'],
      ['7', '2', '3', 'z', null, null],
    ],
  ],
  ['UPDATE t SET price = (SELECT max(id) FROM u) WHERE id = 2', [['7', '1', '2', 'b', '9.000000000', null]]],
  [
    "WITH w AS (SELECT 3 AS n) UPDATE t SET name = 'w' FROM w WHERE n = t.id",
    [['7', '2', '3', 'w', null, null]],
  ],
];

describe('UPDATE', () => {
  test.for(UPDATES)('%s', async ([sql, rows]) => {
    expect(await changed(sql)).toEqual({ columns: [...POSITIONS, ...STORED], rows });
  });

  test('one of several matching rows is enough', async () => {
    const { rows } = await changed('UPDATE t SET name = v FROM u WHERE u.id = t.id AND t.id = 1');
    expect(rows).toHaveLength(1);
    expect(['x', 'y']).toContain(rows[0]![3]);
  });
});

const DELETES: readonly (readonly [sql: string, rows: readonly (readonly string[])[]])[] = [
  [
    'DELETE FROM t WHERE id >= 2',
    [
      ['7', '1'],
      ['7', '2'],
    ],
  ],
  [
    'DELETE FROM t',
    [
      ['7', '0'],
      ['7', '1'],
      ['7', '2'],
    ],
  ],
  [
    'DELETE FROM t x USING u WHERE u.id = x.id',
    [
      ['7', '0'],
      ['7', '2'],
    ],
  ],
  ['DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND v = $$z$$)', [['7', '2']]],
  ['WITH w AS (SELECT 1 AS n) DELETE FROM t WHERE id IN (SELECT n FROM w)', [['7', '0']]],
];

test.for(DELETES)('%s', async ([sql, rows]) => {
  expect(await changed(sql)).toEqual({ columns: POSITIONS, rows });
});

const MERGES: readonly (readonly [sql: string, rows: readonly (readonly (string | null)[])[]])[] = [
  [
    'MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = v WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, v)',
    [
      ['7', '0', 'update', '1', 'x', '1.500000000', '2024-01-01'],
      ['7', '2', 'update', '3', 'z', null, null],
      [null, null, 'insert', '9', 'w', null, null],
    ],
  ],
  [
    "MERGE INTO t x USING (SELECT id, v FROM s) AS y ON x.id = y.id WHEN MATCHED AND y.v = 'x' THEN DELETE WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED BY SOURCE AND x.id > 0 THEN UPDATE SET price = DEFAULT, name = DEFAULT WHEN NOT MATCHED THEN INSERT VALUES (y.id, DEFAULT)",
    [
      ['7', '0', 'delete', null, null, null, null],
      ['7', '1', 'update', '2', NONE, null, null],
      [null, null, 'insert', '9', NONE, null, null],
    ],
  ],
  [
    'MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE',
    [['7', '1', 'delete', null, null, null, null]],
  ],
  [
    'WITH w AS (SELECT 2 AS n) MERGE INTO t USING w ON t.id = n WHEN MATCHED THEN UPDATE SET id = n * 10',
    [['7', '1', 'update', '20', 'b', '2.500000000', null]],
  ],
  [
    'MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE',
    [
      ['7', '0', 'delete', null, null, null, null],
      ['7', '0', 'delete', null, null, null, null],
      ['7', '2', 'delete', null, null, null, null],
    ],
  ],
  [
    'MERGE INTO t USING s ON t.id < s.id AND s.id = 3 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id + 100)',
    [
      [null, null, 'insert', '101', NONE, null, null],
      [null, null, 'insert', '109', NONE, null, null],
    ],
  ],
  // Names that a clause cannot see do not make a name ambiguous.
  [
    'MERGE INTO t USING (SELECT id, v AS name FROM s) AS y ON t.id = y.id WHEN MATCHED AND t.id = 1 THEN DELETE WHEN NOT MATCHED AND id > 5 THEN INSERT (id, name) VALUES (id + 1, name || y.name)',
    [
      ['7', '0', 'delete', null, null, null, null],
      [null, null, 'insert', '10', 'ww', null, null],
    ],
  ],
  [
    'MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (id)',
    [[null, null, 'insert', '9', NONE, null, null]],
  ],
  [
    'MERGE INTO t x USING (VALUES (1), (3)) AS "Y"(id) ON x.id = "Y".id WHEN NOT MATCHED BY SOURCE AND id = 2 THEN UPDATE SET id = id * 10, name = upper(name) WHEN NOT MATCHED THEN INSERT (id) VALUES (id)',
    [['7', '1', 'update', '20', 'B', '2.500000000', null]],
  ],
];

test.for(MERGES)('%s', async ([sql, rows]) => {
  expect(await changed(sql)).toEqual({ columns: [...POSITIONS, '$action', ...STORED], rows });
});

test('a row that a MERGE would change twice', () => {
  const sql = 'MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE';
  const statement = classifyStatement(sql) as MergeStatement;
  const { explain } = mergeQuery(statement, T, sql);
  expect(() => {
    try {
      mergedTwice(statement);
    } catch (error) {
      throw explain(error);
    }
  }).toThrow(
    expect.objectContaining({
      name: 'CARDINALITY_VIOLATION',
      location: { line: 1, startColumn: 12, endColumn: 12 },
    }),
  );
});

/**
 * A statement, its error, a part of the message, and the text at the reported place (undefined if there is
 * none).
 */
const ERRORS: readonly (readonly [sql: string, name: string, message: string, at?: string])[] = [
  [
    'INSERT INTO t VALUES (1, 2, 3, NULL, 5)',
    'SYNTAX_ERROR',
    'has 5 values, but table "t" has 4 columns',
    '(1, 2, 3, NULL, 5)',
  ],
  ['INSERT INTO t VALUES (1), (2, 3)', 'SYNTAX_ERROR', '2 values', '(2, 3)'],
  ['INSERT INTO t (id, name) VALUES (1)', 'SYNTAX_ERROR', 'lists 2 columns but has 1 values', '(1)'],
  ['INSERT INTO t (id, nme) VALUES (1, 2)', 'UNDEFINED_NAME', 'did you mean name?', 'nme'],
  ['INSERT INTO t SELECT 1, 2, 3, NULL, 5', 'SYNTAX_ERROR', 'has 5 values', 't'],
  ['INSERT INTO t (id) SELECT 1, 2', 'SYNTAX_ERROR', 'lists 1 columns but has 2 values', 't'],
  [
    'INSERT INTO t (id, day) SELECT 1, true',
    'BINDING_ERROR',
    '"day" of table "t" is of type date, its value is of type boolean',
    't',
  ],
  ['INSERT INTO t (name) VALUES (1)', 'NOT_NULL_VIOLATION', 'NULL in column "id" of table "t"'],
  ['INSERT INTO t VALUES (NULL)', 'NOT_NULL_VIOLATION', 'NULL in column "id"'],
  ['INSERT INTO t SELECT NULL', 'NOT_NULL_VIOLATION', 'NULL in column "id"'],
  ['INSERT INTO t DEFAULT VALUES', 'NOT_NULL_VIOLATION', 'NULL in column "id"'],
  ["INSERT INTO t VALUES ('x')", 'CAST_ERROR', 'type integer: "x"'],
  ['INSERT INTO t (id) SELECT v FROM u', 'CAST_ERROR', 'type integer: "x"'],
  ['INSERT INTO t VALUES (nosuch)', 'UNDEFINED_NAME', 'nosuch', 'nosuch'],
  ['INSERT INTO t VALUES (1,)', 'SYNTAX_ERROR', 'a value', ')'],
  ['INSERT INTO t SELECT nosuch FROM s', 'UNDEFINED_NAME', 'nosuch', 'nosuch'],
  ['UPDATE t SET nme = 1', 'UNDEFINED_NAME', 'did you mean name?', 'nme'],
  ['UPDATE t SET id = nosuch', 'UNDEFINED_NAME', 'nosuch', 'nosuch'],
  ['UPDATE t SET id = NULL', 'NOT_NULL_VIOLATION', '"id"'],
  ['UPDATE nosuch SET id = 1', 'UNDEFINED_TABLE', 'nosuch', 'nosuch'],
  ['DELETE FROM t WHERE nosuch = 1', 'UNDEFINED_NAME', 'nosuch', 'nosuch'],
  ['DELETE FROM nosuch', 'UNDEFINED_TABLE', 'nosuch', 'nosuch'],
  ['MERGE INTO t USING s ON t.id = s.nosuch WHEN MATCHED THEN DELETE', 'UNDEFINED_NAME', 'nosuch', 's'],
  [
    'MERGE INTO t USING s ON true WHEN NOT MATCHED THEN INSERT VALUES (1,2,3,4,5)',
    'SYNTAX_ERROR',
    'has 5 values',
    't',
  ],
  [
    'MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (name) VALUES (v)',
    'NOT_NULL_VIOLATION',
    '"id"',
  ],
];

test.for(ERRORS)('%s: %s', async ([sql, name, message, at]) => {
  const error = await changed(sql).then(
    (rows) => {
      throw new Error(`no error: ${JSON.stringify(rows)}`);
    },
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TesseraError)) throw error;
  expect({ name: error.name, message: error.message }).toEqual({
    name,
    message: expect.stringContaining(message),
  });
  const place = error.location;
  if (at !== undefined) expect(place && sql.slice(place.startColumn - 1, place.endColumn)).toBe(at);
});
