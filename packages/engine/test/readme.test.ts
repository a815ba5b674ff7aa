import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');

interface Example {
  readonly commands: string;
  /** The block that follows, as the reader is told to expect it. */
  readonly output: string;
}

/** The shell blocks of a page that are followed by a block of output. */
function examplesOf(page: string): Example[] {
  const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language,
    text: text ?? '',
  }));
  return blocks.flatMap((block, i) => {
    const next = blocks[i + 1];
    return block.language === 'sh' && next?.language === ''
      ? [{ commands: block.text, output: next.text }]
      : [];
  });
}

const examples = examplesOf(readFileSync(join(root, 'README.md'), 'utf8'));

let server: TesseraProcess | undefined;
beforeAll(async () => {
  server = await startTessera();
});
afterAll(() => server?.[Symbol.asyncDispose]());

test('the README has its examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

test.each(examples)('README: $commands', async ({ commands, output }) => {
  const url = server!.url.replace(/\/$/, '');
  // A person sees `tessera query` as on a terminal.
  const here = commands
    .replaceAll('http://127.0.0.1:3473', url)
    .replaceAll(
      'npx -y pnpm@12 tessera query',
      `"${process.execPath}" packages/engine/src/main.ts query --format psql --url ${url}`,
    );
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], { cwd: root });
  expect(stdout).toBe(output);
});
