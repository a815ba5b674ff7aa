#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { parseCommandLine, type ReportCommand } from './command-line.ts';
import { generate } from './commands/generate.ts';
import { list } from './commands/list.ts';
import { runBenchmarks } from './commands/run-benchmarks.ts';
import { progressTo } from './progress.ts';
import { chosenBenchmarks } from './registry.ts';
import { compareReports } from './report/compare-reports.ts';
import { htmlPage } from './report/html/html-page.ts';
import { mergeReports } from './report/merge-reports.ts';
import { performancePage } from './report/performance-page.ts';
import { readReport } from './report/read-report.ts';
import { shownCommand } from './shown-command.ts';
import { usage } from './usage.ts';

const FAILURE_EXIT_CODE = 1;
const USAGE_EXIT_CODE = 2;

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

/**
 * The work that the command line requests; it resolves with whether everything succeeded. @throws Error for
 * invalid arguments
 */
function work(args: readonly string[]): () => Promise<boolean> {
  const command = parseCommandLine(args);
  switch (command.kind) {
    case 'help':
      return () => print(usage());
    case 'list':
      return async () => print(await list(command.options));
    case 'generate': {
      const writing = generate(command);
      return async () => {
        const progress = progressTo(process.stderr);
        const text = await writing(progress);
        progress.stop();
        return print(text);
      };
    }
    case 'report':
      return () => report(command);
    case 'compare':
      return async () => {
        const { page, worse } = compareReports(
          await readReport(command.before),
          await readReport(command.after),
        );
        await print(page);
        return worse === 0;
      };
    case 'run': {
      const chosen = chosenBenchmarks(command.benchmarks, command.options);
      return () => runBenchmarks(chosen, command, shownCommand(args));
    }
  }
}

async function print(text: string): Promise<boolean> {
  process.stdout.write(text);
  return true;
}

async function report({ files: [first, ...others], html }: ReportCommand): Promise<boolean> {
  const merged = mergeReports([await readReport(first!), ...(await Promise.all(others.map(readReport)))]);
  if (html === undefined) return print(performancePage(merged));
  await writeFile(html, htmlPage(merged));
  return true;
}
