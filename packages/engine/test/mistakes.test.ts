import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/** The statement, SQLSTATE and description of each mistake, one per line, separated by tabs. */
const MISTAKES = readFileSync(join(import.meta.dirname, 'mistakes.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [sql: string, code: string, description: string]);

/** Words of the kernel that mean nothing to users of the dialect. */
const BANNED = [
  /\bU?INT(?:8|16|32|64|128)\b/,
  /\b(?:VARCHAR|U?BIGINT|U?HUGEINT|U?TINYINT|U?SMALLINT|BLOB|DOUBLE|DECIMAL|\w+_LITERAL)\b/,
  /candidate|overload|macro|duckdb|pragma|\bbinder\b|binding|catalog error|optimi[sz]er/i,
  /\btsr_|\blist_|\$tablet|~~/,
  /\bSET \w+ ?=|!$|\n/,
];

let server: TesseraProcess;
beforeAll(async () => {
  server = await startTessera();
  for (const sql of [
    'CREATE TABLE people (id INT NOT NULL, name TEXT, age INT, born DATE)',
    'CREATE TABLE pets (id INT, owner INT, kind TEXT)',
    "INSERT INTO people VALUES (1, 'a', 1, '2020-01-01'), (2, 'b', 2, '2020-01-02')",
    "INSERT INTO pets VALUES (1, 1, 'x'), (2, 2, 'y')",
  ])
    expect((await query(server, sql)).status).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

describe('mistakes are reported in the words of the dialect', () => {
  it('these are the 200 commonest', () => {
    expect(MISTAKES.length).toBeGreaterThan(200);
    expect(new Set(MISTAKES.map(([sql]) => sql)).size).toBe(MISTAKES.length);
  });

  it.each(MISTAKES)('%s', async (sql, code, description) => {
    const answer = await query(server, sql);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const [error] = answer.json().errors;
    expect([error.code, error.description]).toEqual([code, description]);
    const place = /^Line (\d+), Column (\d+): /.exec(description);
    expect(error.location?.start_offset).toBe(place === null ? undefined : Number(place[2]));
    for (const banned of BANNED) expect(`${error.description} ${error.resolution ?? ''}`).not.toMatch(banned);
  });
});
