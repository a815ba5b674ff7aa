import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dialect } from '../../test/dialect.ts';
import { deparse, parseQuery } from '../parse/parse.ts';
import { compiledPatterns } from './compiled-patterns.ts';
import type { PatternColumn, TableRelation } from './relation-resolver.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const relation = (boundName: string, ...names: readonly string[]): TableRelation => ({
  kind: 'table',
  boundName,
  columns: names.map((name) => ({ name, nullable: true })),
});

const TABLES = new Map([
  ['logs', relation('logs', 'msg', 'n')],
  ['rules', relation('rules', 'P', 'id')],
]);

/** The query over `managed.logs` and `managed.rules` after the rewrite, and the columns that it asked for. */
async function rewritten(sql: string, patterns: readonly string[]) {
  const { session } = dialect.context();
  const parsed = await parseQuery(session, sql, { sql, offset: 0 });
  const asked: PatternColumn[] = [];
  const statement = await compiledPatterns(parsed.statement, {
    tables: TABLES,
    sourceAt: ({ query_location }) => parsed.sourceAt(query_location),
    patternsOf: async (column) => {
      asked.push(column);
      return patterns;
    },
  });
  return { text: (await deparse(session, statement)).replaceAll('main.', ''), asked };
}

const after = async (sql: string, patterns: readonly string[] = ['^a', 'b+']): Promise<string> =>
  (await rewritten(sql, patterns)).text;

describe('a pattern that is a column', () => {
  it('becomes a choice between literal patterns, and stays for all other values', async () => {
    const { text, asked } = await rewritten(
      'SELECT regexp_like(l.msg, r.p) AS hit FROM managed.logs AS l CROSS JOIN managed.rules AS r',
      ['b+', '^a'],
    );
    expect(text).toContain(
      "SELECT CASE  WHEN ((r.p = '^a')) THEN (regexp_like(l.msg, '^a')) WHEN ((r.p = 'b+')) THEN (regexp_like(l.msg, 'b+')) ELSE regexp_like(l.msg, r.p) END AS hit",
    );
    expect(asked).toEqual([{ boundName: 'rules', column: 'P', from: ['logs', 'rules'] }]);
  });

  it.each([
    ['in a condition of a join', 'SELECT 1 FROM managed.logs JOIN managed.rules ON regexp_like(msg, p)', 1],
    ['of ~', 'SELECT 1 FROM managed.logs, managed.rules WHERE msg ~ p', 1],
    ['of !~', 'SELECT 1 FROM managed.logs, managed.rules WHERE msg !~ p', 1],
    ['of NOT around ~', 'SELECT 1 FROM managed.logs, managed.rules WHERE NOT (msg ~ p)', 1],
    ['of !~*', 'SELECT 1 FROM managed.logs, managed.rules WHERE msg !~* p', 1],
    ['with flags', "SELECT regexp_replace(msg, p, '', 'g') FROM managed.logs, managed.rules", 1],
    [
      'of a subquery, once',
      'SELECT EXISTS (SELECT 1 FROM managed.rules r WHERE l.msg ~ r.p) FROM managed.logs l',
      1,
    ],
    [
      'of the query around a subquery',
      'SELECT EXISTS (SELECT 1 FROM managed.logs l WHERE l.msg ~ r.p) FROM managed.rules r',
      1,
    ],
    [
      'in another call that is rewritten',
      "SELECT regexp_replace(regexp_extract(msg, p), p, '') FROM managed.logs, managed.rules",
      1,
    ],
    ['that is a literal', "SELECT msg ~ 'x' FROM managed.logs", 0],
    ['that is an expression', "SELECT msg ~ (p || '') FROM managed.logs, managed.rules", 0],
    ['of two tables', 'SELECT a.msg ~ p FROM managed.logs a, managed.rules b, managed.rules c', 0],
    ['of a subquery in FROM', 'SELECT msg ~ q.p FROM managed.logs, (SELECT id AS p FROM managed.rules) q', 0],
    ['whose text is a subquery', 'SELECT (SELECT max(msg) FROM managed.logs) ~ p FROM managed.rules', 0],
    ['of SIMILAR TO', 'SELECT 1 FROM managed.logs, managed.rules WHERE msg SIMILAR TO p', 0],
  ])('%s', async (_, sql, choices) => {
    expect((await after(sql)).match(/CASE/g)?.length ?? 0).toBe(choices);
  });

  it('!~ keeps its NOT in every branch', async () => {
    const text = await after('SELECT 1 FROM managed.logs, managed.rules WHERE msg !~ p', ['a']);
    expect(text.match(/NOT/g)).toHaveLength(2);
  });

  it('with many values is found in a tree of comparisons', async () => {
    const patterns = Array.from({ length: 100 }, (_, i) => `x${i}`);
    const text = await after('SELECT msg ~ p FROM managed.logs, managed.rules', patterns);
    expect(text.match(/ < /g)).toHaveLength(7);
    expect(text.match(/ = /g)).toHaveLength(100);
  });

  it('stays as it is without values', async () => {
    expect(await after('SELECT regexp_like(msg, p) FROM managed.logs, managed.rules', [])).not.toContain(
      'CASE',
    );
  });
});
