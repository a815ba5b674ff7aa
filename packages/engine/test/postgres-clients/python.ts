import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeClientProgram } from './client-program.ts';

/** The Python interpreter for which the Debian packages of client libraries are installed. */
const PYTHON = '/usr/bin/python3';

export interface PythonClient {
  readonly title: string;
  /** The client library, from the Debian package `python3-<module>`. */
  readonly module: string;
  /** A file of this directory with a function `test_…` for each test. */
  readonly program: string;
}

/** See `describeClientProgram`. */
export function describePython({ title, module, program }: PythonClient): void {
  const source = join(import.meta.dirname, program);
  const { status } = spawnSync(PYTHON, ['-c', `import ${module}`]);
  describeClientProgram({
    title,
    missing: status === 0 ? undefined : `python3-${module} is not installed`,
    source,
    tests: /^(?:async )?def test_(\w+)/gm,
    command: [PYTHON, source],
  });
}
