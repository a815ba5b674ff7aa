import { byteText } from '@tessera/planner';
import type { ExecutedPlan, StageProfile } from './stage-execution.ts';

/** The measurements of a plan's stages for users: one line per stage that ran, in the order of the plan. */
export function profileText({ plan, profiles }: Pick<ExecutedPlan, 'plan' | 'profiles'>): readonly string[] {
  const order = new Map(plan.stages.map(({ id }, position) => [id, position]));
  return profiles
    .toSorted((a, b) => (order.get(a.stage) ?? -1) - (order.get(b.stage) ?? -1))
    .map((profile) => `stage ${profile.stage}: ${stageText(profile)}`);
}

/** The measurements of one stage, without its number. */
function stageText(profile: StageProfile): string {
  const { tasks, attempts, elapsedMs } = profile;
  const { rows, bytes, cpuMs, fetchedBytes, storageBytes, spilledBytes, peakMemoryBytes, skew } =
    stageTotals(profile);
  const parts = [
    `${count(tasks, 'task')}${attempts > tasks ? ` in ${attempts} attempts` : ''}`,
    `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}, ${byteText(bytes)}`,
    `cpu ${cpuMs.toFixed(0)} ms`,
    `time ${elapsedMs.toFixed(1)} ms`,
  ];
  if (peakMemoryBytes > 0) parts.push(`peak memory ${byteText(peakMemoryBytes)}`);
  if (tasks > 1) parts.push(`skew ${skew.toFixed(2)}`);
  if (fetchedBytes > 0) parts.push(`${byteText(fetchedBytes)} from other nodes`);
  if (storageBytes > 0) parts.push(`${byteText(storageBytes)} from storage`);
  if (spilledBytes > 0) parts.push(`${byteText(spilledBytes)} spilled`);
  return parts.join(', ');
}

export interface StageTotals {
  readonly rows: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  readonly storageBytes: number;
  readonly spilledBytes: number;
  /** The most memory that queries held on a node while a task ran; 0 if the tasks were not profiled. */
  readonly peakMemoryBytes: number;
  /** The rows of the largest task divided by the mean; 1 if all tasks have the same number. */
  readonly skew: number;
}

export function stageTotals({ tasksByNode }: Pick<StageProfile, 'tasksByNode'>): StageTotals {
  const outcomes = tasksByNode.map(({ outcome }) => outcome);
  const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const rows = sum((one) => one.rows);
  const most = outcomes.reduce((max, one) => Math.max(max, one.rows), 0);
  return {
    rows,
    bytes: sum((one) => one.bytes),
    cpuMs: sum((one) => one.cpuMs),
    fetchedRows: sum((one) => one.fetchedRows),
    fetchedBytes: sum((one) => one.fetchedBytes),
    storageBytes: sum((one) => one.storageBytesFetched),
    spilledBytes: sum((one) => one.spilledBytes),
    peakMemoryBytes: outcomes.reduce((max, { profile }) => Math.max(max, profile?.peakMemoryBytes ?? 0), 0),
    skew: rows === 0 ? 1 : (most * outcomes.length) / rows,
  };
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
