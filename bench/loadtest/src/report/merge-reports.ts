import type { Report } from './report.ts';

/**
 * Merges several runs; of benchmarks that were repeated, the last result is kept. The scale becomes NaN if
 * the runs differ in it. @throws Error if the runs are from different machines
 */
export function mergeReports(reports: readonly [Report, ...Report[]]): Report {
  const [first, ...others] = reports;
  for (const { machine } of others)
    if (machine.cpu !== first.machine.cpu || machine.cores !== first.machine.cores)
      throw new Error('These reports are of different machines, and do not go on one page');
  const results = new Map(
    reports.flatMap((report) => report.results.map((result) => [result.benchmark, result] as const)),
  );
  const failures = reports
    .flatMap((report) => report.failures)
    .filter(({ benchmark }) => !results.has(benchmark));
  return {
    ...first,
    scale: reports.every(({ scale }) => scale === first.scale) ? first.scale : Number.NaN,
    durationSeconds: reports.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
    command: reports.flatMap(({ command }, n) => (n === 0 ? command : [';', 'tessera-loadtest', ...command])),
    versions: Object.assign({}, ...reports.map(({ versions }) => versions)),
    results: [...results.values()],
    failures,
  };
}
