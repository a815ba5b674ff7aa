import { atOnce } from '@tessera/common';
import { expect, it } from 'vitest';
import {
  type ChangeTarget,
  type ConflictRow,
  classifyStatement,
  conflictRow,
  type InsertStatement,
  plainValues,
} from '../src/index.ts';

const column = (name: string, type: string, more = {}) => ({
  name,
  storedName: name,
  type,
  nullable: true,
  ...more,
});
const target: ChangeTarget = {
  name: 't',
  columns: [column('k', 'INTEGER'), column('n', 'BIGINT'), column('s', 'VARCHAR')],
};

/** The query for the existing row of an INSERT into `target`; undefined if the INSERT is left to `conflictQuery`. */
function existing(sql: string, keys = [['k']], into = target): string | undefined {
  const row = conflict(sql, keys, into);
  return (row?.existing ?? row?.sameKey)?.sql.replaceAll('\n', '');
}

function conflict(sql: string, keys = [['k']], into = target): ConflictRow | undefined {
  const insert = classifyStatement(sql) as InsertStatement;
  const values = atOnce(plainValues(insert, into, sql));
  const scope = {
    clause: insert.onConflict!,
    keys: keys.map((names) => names.map((name) => into.columns.find((each) => each.name === name)!)),
    checks: [],
    existing: insert.table,
  };
  return values && conflictRow(insert, into, scope, values, sql);
}

const row = "INSERT INTO t VALUES (5, 1, 'x')";
const AS_UPDATE = 'SELECT "t"."$tablet", "t"."$row"';

it.each([
  [`${row} ON CONFLICT DO NOTHING`, `${AS_UPDATE} FROM "t" WHERE "t"."k" = 5`],
  [
    `${row} ON CONFLICT (k) DO UPDATE SET n = t.n + excluded.n`,
    `${AS_UPDATE}, "t"."k" AS "k", CAST((t.n + CAST(1 AS BIGINT)) AS BIGINT) AS "n", "t"."s" AS "s" FROM "t" WHERE "t"."k" = 5`,
  ],
  [
    `${row} ON CONFLICT (k) DO UPDATE SET s = EXCLUDED."s" || 'excluded.s'`,
    `${AS_UPDATE}, "t"."k" AS "k", "t"."n" AS "n", CAST((CAST('x' AS VARCHAR) || 'excluded.s') AS VARCHAR) AS "s" FROM "t" WHERE "t"."k" = 5`,
  ],
  [
    `INSERT INTO t AS a (s, k) VALUES ('it''s', 6) ON CONFLICT (k) DO UPDATE SET n = excluded.n`,
    `SELECT "a"."$tablet", "a"."$row", "a"."k" AS "k", CAST((CAST(NULL AS BIGINT)) AS BIGINT) AS "n", "a"."s" AS "s" FROM "t" AS "a" WHERE "a"."k" = 6`,
  ],
])('%s → %s', (sql, query) => {
  expect(existing(sql)).toBe(query);
});

it('looks for the key alone if WHERE of DO UPDATE may leave out its row', () => {
  const update = `${row} ON CONFLICT (k) DO UPDATE SET n = 1`;
  expect(conflict(update)?.sameKey).toBeUndefined();
  const { existing, sameKey } = conflict(`${update} WHERE t.n < excluded.n`)!;
  expect(existing?.sql).toMatch(/ WHERE "t"\."k" = 5 AND \(t\.n < CAST\(1 AS BIGINT\)\)\n*$/);
  expect(sameKey?.sql).toMatch(/ WHERE "t"\."k" = 5\n*$/);
});

it('returns the items of RETURNING for the existing row and for a new one', () => {
  const { existing, returning } = conflict(
    `${row} ON CONFLICT (k) DO UPDATE SET n = 1 RETURNING k, t.n + 1`,
  )!;
  expect(existing?.sql).toMatch(
    /^SELECT "t"\."\$tablet".* k\s*, t\.n \+ 1\s+FROM \(SELECT .* FROM "t" WHERE/s,
  );
  expect(returning?.sql).toMatch(/ k\s*, t\.n \+ 1\s+FROM \(SELECT .*VALUES/s);
  expect(conflict(`${row} ON CONFLICT DO NOTHING`)?.returning).toBeUndefined();
});

it('compares all columns of the key', () => {
  expect(existing(`${row} ON CONFLICT (k, s) DO NOTHING`, [['k', 's']])).toBe(
    `${AS_UPDATE} FROM "t" WHERE "t"."k" = 5 AND "t"."s" = 'x'`,
  );
});

it.each([
  ['of several rows', "INSERT INTO t VALUES (5, 1, 'x'), (6, 1, 'x') ON CONFLICT DO NOTHING"],
  ['of an expression', "INSERT INTO t VALUES (2 + 3, 1, 'x') ON CONFLICT DO NOTHING"],
  ['without a key', "INSERT INTO t VALUES (NULL, 1, 'x') ON CONFLICT DO NOTHING"],
  ['with a column of either row in WHERE', `${row} ON CONFLICT (k) DO UPDATE SET n = 1 WHERE n > 1`],
  ['with a subquery', `${row} ON CONFLICT (k) DO UPDATE SET n = (SELECT excluded.n)`],
  ['with DEFAULT', `${row} ON CONFLICT (k) DO UPDATE SET n = DEFAULT`],
  ['with a column of either row', `${row} ON CONFLICT (k) DO UPDATE SET n = n + 1`],
  ['with the whole proposed row', `${row} ON CONFLICT (k) DO UPDATE SET s = excluded::text`],
  ['with a column that does not exist', `${row} ON CONFLICT (k) DO UPDATE SET n = excluded.nope`],
  ['with a field', `${row} ON CONFLICT (k) DO UPDATE SET n = excluded.s.a`],
  [
    'whose alias is excluded',
    `INSERT INTO t AS excluded VALUES (5, 1, 'x') ON CONFLICT (k) DO UPDATE SET n = 1`,
  ],
])('leaves an INSERT %s alone', (_, sql) => {
  expect(existing(sql)).toBeUndefined();
});

it('leaves keys alone whose literals are not compared as they are', () => {
  for (const key of [column('k', 'DATE'), column('k', 'VARCHAR', { declared: 'char(3)' })]) {
    const into = { ...target, columns: [key, ...target.columns.slice(1)] };
    expect(
      existing("INSERT INTO t VALUES ('2024-01-31', 1, 'x') ON CONFLICT DO NOTHING", [['k']], into),
    ).toBeUndefined();
  }
});

it('leaves an INSERT alone that may conflict with several keys', () => {
  expect(existing(`${row} ON CONFLICT DO NOTHING`, [['k'], ['s']])).toBeUndefined();
});
