#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { parseCommandLine, type RunCommand } from './command-line.ts';
import { measure } from './measure.ts';
import { progressTo, silentProgress } from './progress.ts';
import { type BenchmarkEntry, chosenBenchmarks } from './registry.ts';
import { performancePage } from './report/performance-page.ts';
import { readReport } from './report/read-report.ts';
import { isGood } from './report/report.ts';
import { renderTable } from './report/table.ts';
import { usage } from './usage.ts';

const FAILURE_EXIT_CODE = 1;
const USAGE_EXIT_CODE = 2;
const INTERRUPTED_EXIT_CODE = 130;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let run: () => Promise<boolean>;
  try {
    run = work(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage()}`);
    return USAGE_EXIT_CODE;
  }
  try {
    return (await run()) ? 0 : FAILURE_EXIT_CODE;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return FAILURE_EXIT_CODE;
  }
}

/** What the command line asks for; it resolves with whether all was good. @throws Error where it asks for nonsense */
function work(args: readonly string[]): () => Promise<boolean> {
  const command = parseCommandLine(args);
  switch (command.kind) {
    case 'help':
      return () => print(usage());
    case 'report':
      return async () => print(performancePage(await readReport(command.files[0]!)));
    case 'run': {
      const chosen = chosenBenchmarks(command.benchmarks, command.options);
      return () => runBenchmarks(chosen, command, withoutSecrets(args));
    }
    default:
      throw new Error(`${command.kind}: not there yet`);
  }
}

async function print(text: string): Promise<boolean> {
  process.stdout.write(text);
  return true;
}

async function runBenchmarks(
  benchmarks: readonly BenchmarkEntry[],
  { options, json, quiet }: RunCommand,
  command: readonly string[],
): Promise<boolean> {
  const breakOff = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (breakOff.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
      process.stderr.write('\nending early; once more to end at once\n');
      breakOff.abort();
    });
  const progress = quiet ? silentProgress : progressTo(process.stderr);
  const report = await measure(benchmarks, {
    options,
    command,
    signal: breakOff.signal,
    onBenchmark: (name) => progress.benchmark(name),
    onProgress: (doing, fraction) => progress.doing(doing, fraction),
    onResult: ({ title, lines }) => {
      progress.clear();
      process.stdout.write(`\n${title}\n${renderTable(lines)}\n\n`);
    },
    onFailure: ({ benchmark, reason }) => {
      progress.clear();
      process.stderr.write(`${benchmark} failed: ${reason}\n`);
    },
  });
  progress.stop();
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (breakOff.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
  return isGood(report);
}

/** The value of `--token` is nobody's business. */
function withoutSecrets(args: readonly string[]): string[] {
  return args
    .map((arg, n) => (args[n - 1] === '--token' ? '…' : arg))
    .map((arg) => arg.replace(/^--token=.*/, '--token=…'));
}
