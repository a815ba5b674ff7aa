import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Benchmark, repeat } from '../benchmark.ts';
import { installPackage } from '../processes/installed-package.ts';
import { Terminal } from '../processes/terminal.ts';
import { figure, type Target } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const CHECKOUT = join(import.meta.dirname, '../../../..');
const CSV_BYTES = 100e6;
const RUNS = 3;
const PROMPT = /tessera> /;
const PROMPT_TARGET = { at: 'most', value: 2 } as const;
const FILE_TARGET = { at: 'most', value: 1 } as const;

/** Opens the shell with an engine of its own on a terminal, as a user does: from the npm package, and from a checkout. */
export const shell: Benchmark = async ({ scale, options, progress }) => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-shell-'));
  try {
    const file = join(directory, 'big.csv');
    progress('shell: writing the CSV');
    await pipeline(Readable.from(csvRows(CSV_BYTES * scale)), createWriteStream(file));
    progress('shell: installing the npm package');
    installPackage(directory);
    const shells = [
      { what: 'npx tessera', command: 'npx tessera', place: directory, target: PROMPT_TARGET },
      { what: 'from a checkout', command: 'npx -y pnpm@12 tessera', place: CHECKOUT },
    ];
    const lines: Line[] = [];
    for (const { what, command, place, target } of shells) {
      const open = async () => {
        progress(`shell: opening it, ${what}`);
        return measured(`${command} sql '${file}'`, place);
      };
      // The first start fills the compile cache.
      await open();
      lines.push(lineOf(what, await repeat(options.runs ?? RUNS, open), target));
    }
    return {
      benchmark: 'shell',
      title: 'The shell',
      method: `\`tessera sql big.csv\` on a pseudo-terminal, with an engine of its own, ${options.runs ?? RUNS} times after one start that fills the compile cache: by \`npx\` from the npm package, which is installed, and by pnpm from a checkout. *Prompt*: from the start of the command. *Engine answers*: from the start to the answer of \`SELECT 42\`, typed at the prompt. *CSV*: the time that \`SELECT count(*)\` over ${Math.round((CSV_BYTES * scale) / 1e6)} MB takes after that.`,
      lines,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

function lineOf(what: string, runs: readonly Measured[], target?: Target): Line {
  const seconds = (of: (run: Measured) => number) => runs.map((run) => of(run) / 1000);
  const prompt = figure(
    's',
    seconds((run) => run.prompt),
  );
  const answer = figure(
    's',
    seconds((run) => run.answer),
    target,
  );
  const csv = figure(
    's',
    seconds((run) => run.csv),
    FILE_TARGET,
  );
  return { what, figures: { prompt, 'engine answers': answer, CSV: csv } };
}

/** In milliseconds. */
interface Measured {
  readonly prompt: number;
  readonly answer: number;
  readonly csv: number;
}

async function measured(command: string, place: string): Promise<Measured> {
  const start = performance.now();
  const terminal = new Terminal(command, place);
  try {
    await terminal.until(PROMPT);
    const prompt = performance.now() - start;
    terminal.type('SELECT 42 AS answer;\r');
    await terminal.until(/\(1 row/);
    const answer = performance.now() - start;
    await terminal.until(PROMPT);
    const asked = performance.now();
    terminal.type('SELECT count(*) FROM big;\r');
    await terminal.until(/\(1 row/);
    const csv = performance.now() - asked;
    await terminal.until(PROMPT);
    return { prompt, answer, csv };
  } finally {
    terminal.type('\\q\r');
    await terminal.ended();
  }
}

function* csvRows(bytes: number): Generator<string> {
  let written = 0;
  for (let row = 0; written < bytes; ) {
    let text = '';
    for (let i = 0; i < 1_000; i++, row++)
      text += `${row},name_${row % 1_000},${(row % 10_007) / 100},2024-01-01 10:00:00\n`;
    written += text.length;
    yield text;
  }
}
