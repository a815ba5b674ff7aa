import { writeFile } from 'node:fs/promises';
import type { RunCommand } from '../command-line.ts';
import { measure } from '../measure.ts';
import { chosenPeers } from '../peers/peers.ts';
import { progressTo, silentProgress } from '../progress.ts';
import type { BenchmarkEntry } from '../registry.ts';
import { htmlPage } from '../report/html/html-page.ts';
import { type BenchmarkResult, isGood } from '../report/report.ts';
import { renderTables } from '../report/table.ts';

const INTERRUPTED_EXIT_CODE = 130;

/**
 * Measures and reports; returns whether everything succeeded. `command` is the command line for the report.
 */
export async function runBenchmarks(
  benchmarks: readonly BenchmarkEntry[],
  { options, json, html, quiet }: RunCommand,
  command: readonly string[],
): Promise<boolean> {
  await chosenPeers(options);
  const breakOff = breakOffBySignal();
  const progress = quiet ? silentProgress : progressTo(process.stderr);
  const report = await measure(benchmarks, {
    options,
    command,
    signal: breakOff,
    onBenchmark: (name) => progress.benchmark(name),
    onProgress: (doing, fraction) => progress.doing(doing, fraction),
    onResult: (result) => {
      progress.clear();
      process.stdout.write(`${resultText(result)}\n`);
    },
    onFailure: ({ benchmark, reason }) => {
      progress.clear();
      process.stderr.write(`${benchmark} failed: ${reason}\n`);
    },
  });
  progress.stop();
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (html !== undefined) await writeFile(html, htmlPage(report));
  if (breakOff.aborted) process.exit(INTERRUPTED_EXIT_CODE);
  return isGood(report);
}

/** Aborts at the first signal; the second one ends the process and everything it started. */
function breakOffBySignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
      process.stderr.write('\nending early; once more to end at once\n');
      controller.abort();
    });
  return controller.signal;
}

function resultText({ title, lines, problems = [], notes = [] }: BenchmarkResult): string {
  const listed = (texts: readonly string[]) => texts.map((text) => `  - ${text}\n`).join('');
  return [
    `\n${title}\n${renderTables(lines)}\n`,
    problems.length === 0 ? '' : `Problems:\n${listed(problems)}`,
    notes.length === 0 ? '' : `Notes:\n${listed(notes)}`,
  ].join('');
}
