import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from './http.ts';
import { MISTAKE_TABLES, MISTAKES, mistakeOf } from './mistakes.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

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
  for (const sql of MISTAKE_TABLES) expect((await query(server, sql)).status).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

describe('mistakes are reported in the words of the dialect', () => {
  it('these are the 500 commonest', () => {
    expect(MISTAKES.length).toBeGreaterThan(500);
    expect(new Set(MISTAKES.map(([sql]) => sql)).size).toBe(MISTAKES.length);
  });

  it.each(MISTAKES)('%s', async (sql, code, description) => {
    const { answer, told } = await mistakeOf(server, sql);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(told).toEqual([code, description]);
    const [error] = answer.json().errors;
    const place = /^Line (\d+), Column (\d+): /.exec(description);
    expect(error.location?.start_offset).toBe(place === null ? undefined : Number(place[2]));
    for (const banned of BANNED) expect(`${error.description} ${error.resolution ?? ''}`).not.toMatch(banned);
  });
});
