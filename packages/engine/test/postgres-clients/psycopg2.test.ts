import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeClientProgram } from './client-program.ts';

const PYTHON = '/usr/bin/python3';
const { status } = spawnSync(PYTHON, ['-c', 'import psycopg2']);
const source = join(import.meta.dirname, 'psycopg2_client.py');

describeClientProgram({
  title: 'psycopg2',
  missing: status === 0 ? undefined : 'python3-psycopg2 is not installed',
  source,
  tests: /^def test_(\w+)/gm,
  command: [PYTHON, source],
});
