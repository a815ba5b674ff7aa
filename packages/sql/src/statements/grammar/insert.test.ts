import { expect, test } from 'vitest';
import { classifyStatement } from '../classify.ts';

const text = (sql: string, offset?: number) => (offset === undefined ? { sql } : { sql, offset });

const INSERTS: readonly (readonly [sql: string, statement: object])[] = [
  [
    'INSERT INTO t SELECT 1 AS at ORDER BY at RETURNING at',
    { query: text('SELECT 1 AS at ORDER BY at'), returning: [text('at', 51)] },
  ],
  [
    'INSERT INTO t SELECT 1 AS in, u.case AS when RETURNING 1 AS case, 2',
    {
      query: text('SELECT 1 AS in, u.case AS when'),
      returning: [text('1 AS case'), text('2', 66)],
    },
  ],
  [
    'INSERT INTO t SELECT escape FROM u ORDER BY escape ON CONFLICT DO NOTHING',
    { query: text('SELECT escape FROM u ORDER BY escape') },
  ],
  [
    'INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING a',
    {
      query: text('VALUES (1)'),
      onConflict: { target: undefined, update: undefined },
      returning: [text('a', 58)],
    },
  ],
  [
    'INSERT INTO t SELECT a FROM u JOIN v ON u.b = v.b ON CONFLICT (a, "B") DO UPDATE SET a = DEFAULT, b = excluded.b WHERE t.a > 1 RETURNING *',
    {
      query: text('SELECT a FROM u JOIN v ON u.b = v.b'),
      onConflict: {
        target: { kind: 'columns', columns: [{ name: 'a' }, { name: 'B' }] },
        update: {
          set: [
            { column: 'a', value: undefined },
            { column: 'b', value: text('excluded.b') },
          ],
          where: text('t.a > 1'),
        },
      },
      returning: [text('*')],
    },
  ],
  [
    'INSERT INTO t DEFAULT VALUES ON CONFLICT ON CONSTRAINT k DO NOTHING',
    { query: undefined, onConflict: { target: { kind: 'constraint', constraint: { name: 'k' } } } },
  ],
];

test.for(INSERTS)('%s', ([sql, statement]) => {
  expect(classifyStatement(sql)).toMatchObject(statement);
});

const ERRORS: readonly (readonly [sql: string, error: string, message: string, at: string])[] = [
  ['INSERT INTO t VALUES (1) ON CONFLICT', 'SYNTAX_ERROR', 'Expected DO NOTHING or DO UPDATE', ''],
  ['INSERT INTO t VALUES (1) ON CONFLICT (a, a) DO NOTHING', 'DUPLICATE_COLUMN', 'listed twice', 'a'],
  [
    'INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1',
    'SYNTAX_ERROR',
    'needs the columns or the name of a constraint',
    'ON CONFLICT',
  ],
  ['INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE', 'SYNTAX_ERROR', 'Expected SET', ''],
  ['INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE b DO NOTHING', 'NOT_SUPPORTED', 'not partial', 'WHERE'],
  ['INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING x', 'SYNTAX_ERROR', 'the end of the statement', 'x'],
];

test.for(ERRORS)('%s: %s, %s', ([sql, name, message, at]) => {
  const startColumn = sql.lastIndexOf(at) + 1;
  expect(() => classifyStatement(sql)).toThrow(
    expect.objectContaining({
      name,
      message: expect.stringContaining(message),
      location: expect.objectContaining({ line: 1, startColumn }),
    }),
  );
});
