import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { CommandFailure, EXIT } from './exit-code.ts';

/**
 * Prompts on the terminal without echo, even if standard input is a file.
 * @throws CommandFailure if there is no terminal, or if the prompt was left with Ctrl-C or Ctrl-D
 */
export async function promptPassword(question: string): Promise<string> {
  const input = process.stdin.isTTY ? process.stdin : terminal();
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  process.stderr.write(question);
  try {
    return await Promise.race([lines.question(''), left(lines)]);
  } finally {
    process.stderr.write('\n');
    lines.close();
    if (input !== process.stdin) input.destroy();
  }
}

const left = (lines: ReturnType<typeof createInterface>): Promise<never> =>
  new Promise((_resolve, reject) => {
    lines.once('close', () => reject(new CommandFailure(EXIT.interrupted, 'cancelled')));
  });

function terminal(): ReadStream {
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    throw new CommandFailure(
      EXIT.usage,
      'error: there is no terminal to ask for the password at: use --password-file or TESSERA_PASSWORD',
    );
  }
}
