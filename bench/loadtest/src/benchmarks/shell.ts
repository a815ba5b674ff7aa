import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Benchmark, repeat } from '../benchmark.ts';
import { Terminal } from '../processes/terminal.ts';
import { figure } from '../report/figure.ts';

const CHECKOUT = join(import.meta.dirname, '../../../..');
const CSV_BYTES = 100e6;
const RUNS = 3;
const PROMPT = /tessera> /;
const PROMPT_TARGET = { at: 'most', value: 2 } as const;
const FILE_TARGET = { at: 'most', value: 1 } as const;

/** Opens the shell with an engine of its own on a terminal, as a user does. */
export const shell: Benchmark = async ({ scale, options, progress }) => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-shell-'));
  try {
    const file = join(directory, 'big.csv');
    progress('shell: writing the CSV');
    await pipeline(Readable.from(csvRows(CSV_BYTES * scale)), createWriteStream(file));
    const open = async () => {
      progress('shell: opening it');
      return measured(file);
    };
    // The first start fills the compile cache.
    await open();
    const runs = await repeat(options.runs ?? RUNS, open);
    const seconds = (of: (run: Measured) => number) => runs.map((run) => of(run) / 1000);
    return {
      benchmark: 'shell',
      title: 'The shell',
      method: `\`npx -y pnpm@12 tessera sql big.csv\` on a pseudo-terminal, with an engine of its own, ${runs.length} times after one start that fills the compile cache. *Prompt*: from the start of the program. *First answer*: from the start to the answer of \`SELECT 42\`, typed at the prompt. *CSV*: the time that \`SELECT count(*)\` over ${Math.round((CSV_BYTES * scale) / 1e6)} MB takes after that.`,
      lines: [
        {
          what: 'tessera sql',
          figures: {
            prompt: figure(
              's',
              seconds(({ prompt }) => prompt),
            ),
            'first answer': figure(
              's',
              seconds(({ answer }) => answer),
              PROMPT_TARGET,
            ),
            CSV: figure(
              's',
              seconds(({ csv }) => csv),
              FILE_TARGET,
            ),
          },
        },
      ],
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** In milliseconds. */
interface Measured {
  readonly prompt: number;
  readonly answer: number;
  readonly csv: number;
}

async function measured(file: string): Promise<Measured> {
  const start = performance.now();
  const terminal = new Terminal(`npx -y pnpm@12 tessera sql '${file}'`, CHECKOUT);
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
