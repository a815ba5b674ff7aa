import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeClientProgram } from './client-program.ts';

const DRIVER = '/usr/share/java/postgresql.jar';
const source = join(import.meta.dirname, 'JdbcClient.java');

function missing(): string | undefined {
  if (!existsSync(DRIVER)) return 'libpostgresql-jdbc-java is not installed';
  // Running a source file needs the compiler, which a plain runtime does not include.
  return spawnSync('javac', ['-version']).status === 0 ? undefined : 'a JDK is not installed';
}

describeClientProgram({
  title: 'JDBC',
  missing: missing(),
  source,
  tests: /^ {2}static void (test\w+)/gm,
  command: ['java', '-Xmx192m', '-cp', DRIVER, source],
});
