import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { unusableFile } from './file-part.ts';
import type { Streams } from './streams.ts';

/** The statement from the argument, the file, or standard input, in this order. */
export async function readStatement(
  sql: string | undefined,
  file: string | undefined,
  stdin: Streams['stdin'],
): Promise<string> {
  if (sql !== undefined && file !== undefined)
    throw new CommandFailure(
      EXIT.usage,
      'error: give the statement as an argument or with --sql-file, not both',
    );
  const statement = sql ?? (file === undefined || file === '-' ? await piped(stdin) : await fromFile(file));
  if (statement.trim() === '') throw new CommandFailure(EXIT.usage, 'error: the statement is empty');
  return statement;
}

function piped(stdin: Streams['stdin']): Promise<string> {
  if (stdin.isTTY !== true) return text(stdin);
  throw new CommandFailure(
    EXIT.usage,
    "error: no statement given\n  tessera query 'SELECT 42'     as an argument\n  tessera query -F file.sql     from a file\n  tessera query < file.sql      from standard input",
  );
}

function fromFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw unusableFile(file, error);
  });
}
