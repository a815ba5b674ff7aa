import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { describeProgram, type Place, placeOf, runProgram } from './programs.ts';

const POINTS = `
\\set id random(1, 1000)
SELECT v FROM points WHERE id = :id;
`;

const PIPELINE = `
\\startpipeline
SELECT 1;
SELECT v FROM points WHERE id = 7;
SELECT count(*) FROM points;
\\endpipeline
`;

const TRANSFER = `
\\set a random(1, 10)
BEGIN;
INSERT INTO log VALUES (:client_id, :a);
SELECT count(*) AS mine FROM log WHERE client = :client_id \\gset
INSERT INTO log VALUES (:client_id, 0 - :a);
END;
`;

describeProgram('pgbench', () => {
  let node: SharedNode;
  let place: Place;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tessera-pgbench-'));
    node = await takeSharedNode();
    place = placeOf(node);
    await query(node, 'CREATE TABLE points (id INT NOT NULL, v TEXT) PRIMARY INDEX id');
    await query(node, "INSERT INTO points SELECT i, 'v' || i FROM generate_series(1, 1000) AS i");
    await query(node, 'CREATE TABLE log (client INT, a INT)');
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  const pgbench = (script: string, ...args: string[]) => {
    const file = join(directory, 'script.sql');
    writeFileSync(file, script);
    return runProgram('pgbench', place, { args: ['-n', '-f', file, ...args] });
  };

  describe.each(['simple', 'extended', 'prepared'])('%s', (mode) => {
    it('runs a script of queries with several clients', async () => {
      const { code, stdout, stderr } = await pgbench(POINTS, '-M', mode, '-c', '4', '-j', '2', '-t', '20');
      expect(stderr).not.toMatch(/error|abort/i);
      expect(stdout).toContain('number of transactions actually processed: 80/80');
      expect(code).toBe(0);
    });

    it('runs transactions', async () => {
      await query(node, 'TRUNCATE TABLE log');
      const { code, stdout, stderr } = await pgbench(
        TRANSFER,
        '-M',
        mode,
        '-c',
        '2',
        '-t',
        '5',
        '--max-tries=20',
      );
      expect(stderr).not.toMatch(/error|abort/i);
      expect(stdout).toContain('number of transactions actually processed: 10/10');
      expect(code).toBe(0);
      expect(await rows(node, 'SELECT count(*), sum(a) FROM log')).toEqual([['20', '0']]);
    });
  });

  it.each(['extended', 'prepared'])('runs a pipeline in mode %s', async (mode) => {
    const { code, stdout } = await pgbench(PIPELINE, '-M', mode, '-c', '2', '-t', '10');
    expect(stdout).toContain('number of transactions actually processed: 20/20');
    expect(code).toBe(0);
  });

  it('-i fails at the first missing feature and names it', async () => {
    const { code, stderr } = await runProgram('pgbench', place, { args: ['-i', '-s', '1'] });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^pgbench: error: query failed: ERROR: {2}/m);
  });
});
