#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { parseCommandLine, USAGE } from './command-line.ts';
import { chosenBenchmarks, measure } from './measure.ts';
import { performancePage } from './report/performance-page.ts';
import type { Report } from './report/report.ts';
import { renderTable } from './report/table.ts';

const FAILURE_EXIT_CODE = 1;
const USAGE_EXIT_CODE = 2;
const INTERRUPTED_EXIT_CODE = 130;

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(INTERRUPTED_EXIT_CODE));

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let run: () => Promise<void>;
  try {
    run = command(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return USAGE_EXIT_CODE;
  }
  try {
    await run();
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return FAILURE_EXIT_CODE;
  }
}

function command(args: readonly string[]): () => Promise<void> {
  const { words, url, scale, json, help } = parseCommandLine(args);
  if (help) return async () => void process.stdout.write(USAGE);
  const [first, file] = words;
  if (first === 'report') {
    if (file === undefined || words.length > 2) throw new Error('report: name one JSON file');
    return () => printPage(file);
  }
  const benchmarks = chosenBenchmarks(words);
  return async () => {
    const report = await measure(benchmarks, {
      url,
      scale,
      onProgress: (doing) => void process.stderr.write(`… ${doing}\n`),
      onResult: ({ title, lines }) => void process.stdout.write(`\n${title}\n${renderTable(lines)}\n\n`),
    });
    if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
  };
}

async function printPage(file: string): Promise<void> {
  process.stdout.write(performancePage(JSON.parse(await readFile(file, 'utf8')) as Report));
}
