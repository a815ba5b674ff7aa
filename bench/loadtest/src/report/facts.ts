import type { Report } from './report.ts';

/** The conditions of a run that are needed to interpret its figures: names and values. */
export function factsOf(report: Report): readonly (readonly [name: string, value: string])[] {
  const { machine, versions, commit, scale, command } = report;
  const memory = `${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB`;
  return [
    ['machine', `${machine.cores} × ${machine.cpu}, ${memory}, ${machine.system}`],
    [
      'programs',
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
    [
      'measured',
      `${report.startedAt.slice(0, 16).replace('T', ' ')} UTC, in ${durationText(report.durationSeconds)}`,
    ],
    ...(scale === 1
      ? []
      : [['scale', Number.isNaN(scale) ? 'as each command says' : `${scale} of the full size`] as const]),
    ...(commit === undefined ? [] : [['commit', commit] as const]),
    ['command', ['tessera-loadtest', ...command].join(' ')],
  ];
}

/** `1 min 5 s`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
