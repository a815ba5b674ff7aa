import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedSides, startSides } from './compared-sides.ts';
import { postgresPrograms } from './postgres-reference.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)(
  'INSERT … ON CONFLICT, as PostgreSQL has it (skipped where no PostgreSQL server is installed)',
  () => {
    let sides: ComparedSides;
    beforeAll(async () => {
      sides = await startSides(programs!);
    });
    afterAll(() => sides?.[Symbol.asyncDispose]());

    it('statements', { timeout: 300_000 }, async () => {
      const { ours, theirs } = sides;
      const different: Record<string, string> = {};
      const statements = readFileSync(join(import.meta.dirname, 'on-conflict.sql'), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('--'));
      for (const sql of statements) {
        const [actual, expected] = [await outcome(ours, sql), await outcome(theirs, sql)];
        if (actual !== expected) different[sql] = `${actual} instead of ${expected}`;
      }
      expect(different).toEqual({});
      expect(statements.length).toBeGreaterThan(177);
    });
  },
);

/** The command, the number of rows, the columns and the rows in their order, or the SQLSTATE. */
async function outcome(client: pg.Client, sql: string): Promise<string> {
  try {
    const { command, rowCount, fields, rows } = await client.query({ text: sql, rowMode: 'array' });
    const columns = fields.map(({ name, dataTypeID }) => [name, dataTypeID]);
    return JSON.stringify([command, rowCount, columns, rows]);
  } catch (error) {
    return (error as { code?: string; message: string }).code ?? String(error);
  }
}
