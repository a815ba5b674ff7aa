import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogging, type Logger } from '@tessera/common';

/** A logger that writes to a file, and access to its contents. */
export interface LogFile extends AsyncDisposable {
  readonly log: Logger;
  /** Returns the contents of the log so far. */
  text(): string;
}

export function logFile(): LogFile {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-auth-'));
  const path = join(directory, 'log');
  const logging = createLogging({
    level: 'debug',
    format: 'json',
    components: [],
    sinks: [{ type: 'file', level: null, file: { path } }],
  });
  return {
    log: logging.logger('auth'),
    text: () => readFileSync(path, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await logging.close();
      rmSync(directory, { recursive: true });
    },
  };
}
