import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeClientProgram } from './client-program.ts';

const PYTHON = '/usr/bin/python3';
const source = join(import.meta.dirname, 'odbc_client.py');

function missing(): string | undefined {
  const drivers = spawnSync('odbcinst', ['-q', '-d'], { encoding: 'utf8' }).stdout ?? '';
  if (!drivers.includes('[PostgreSQL Unicode]')) return 'odbc-postgresql is not installed';
  return spawnSync(PYTHON, ['-c', 'import pyodbc']).status === 0
    ? undefined
    : 'python3-pyodbc is not installed';
}

describeClientProgram({
  title: 'ODBC',
  missing: missing(),
  source,
  tests: /^def test_(\w+)/gm,
  command: [PYTHON, source],
});
