import type {
  DistExecService,
  RpcHandlers,
  TaskFinished,
  TaskProgress as TaskProgressMessage,
} from '@tessera/rpc';
import type { KeySummary, TaskOutcome, TaskProfile, TaskProgress } from '../dist-exec.ts';
import { decodeInline } from './task-codec.ts';

/** A reply about a task, without the number of the task. */
export type TaskReplyMessage = NonNullable<
  Parameters<Parameters<RpcHandlers<typeof DistExecService>['runTasks']>[0]['send']>[0]['reply']
>;

/** The last reply about a task that succeeded. */
export function finishedReply(outcome: TaskOutcome): TaskReplyMessage {
  const { rows, bytes, bucketRows, inline, cpuMs, elapsedMs, spilledBytes, summaries, profile } = outcome;
  return {
    case: 'finished',
    value: {
      rows: count(rows),
      bytes: count(bytes),
      bucketRows: [...bucketRows],
      cpuMs: count(cpuMs),
      elapsedMs: count(elapsedMs),
      fetchedRows: count(outcome.fetchedRows),
      fetchedBytes: count(outcome.fetchedBytes),
      storageBytesFetched: count(outcome.storageBytesFetched),
      storageBytesCached: count(outcome.storageBytesCached),
      reads: outcome.reads.map(({ source, rows, bytes, bytesFromStorage }) => ({
        source,
        rows: count(rows),
        bytes: count(bytes),
        bytesFromStorage: count(bytesFromStorage),
      })),
      spilledBytes: count(spilledBytes),
      summaries: summaries.map(encodeSummary),
      ...(inline !== undefined && { inline }),
      ...(profile !== undefined && { profile: Buffer.from(JSON.stringify(profile)) }),
    },
  };
}

export const progressReply = ({
  percent = -1,
  hasRows = false,
  cpuMs = 0,
}: TaskProgress): TaskReplyMessage => ({
  case: 'progress',
  value: { percent, hasRows, cpuMs },
});

/** Reverses `progressReply`. */
export const decodeProgress = ({ percent, hasRows, cpuMs }: TaskProgressMessage): TaskProgress => ({
  ...(percent >= 0 && { percent }),
  ...(cpuMs > 0 && { cpuMs }),
  hasRows,
});

export function decodeOutcome(finished: TaskFinished): TaskOutcome {
  return {
    rows: Number(finished.rows),
    bytes: Number(finished.bytes),
    bucketRows: finished.bucketRows,
    ...(finished.inline !== undefined && { inline: decodeInline(finished.inline) }),
    ...(finished.profile !== undefined && { profile: decodeProfile(finished.profile) }),
    cpuMs: Number(finished.cpuMs),
    elapsedMs: Number(finished.elapsedMs),
    fetchedRows: Number(finished.fetchedRows),
    fetchedBytes: Number(finished.fetchedBytes),
    storageBytesFetched: Number(finished.storageBytesFetched),
    storageBytesCached: Number(finished.storageBytesCached),
    reads: finished.reads.map(({ source, rows, bytes, bytesFromStorage }) => ({
      source,
      rows: Number(rows),
      bytes: Number(bytes),
      bytesFromStorage: Number(bytesFromStorage),
    })),
    spilledBytes: Number(finished.spilledBytes),
    summaries: finished.summaries.map(
      ({ column, min, max, values, hasValues, bloom }): KeySummary => ({
        column,
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
        ...(hasValues && { values }),
        ...(bloom !== undefined && { bloom }),
      }),
    ),
  };
}

const encodeSummary = ({ column, min, max, values, bloom }: KeySummary) => ({
  column,
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
  ...(bloom !== undefined && { bloom }),
  values: [...(values ?? [])],
  hasValues: values !== undefined,
});

/** The profile is for people, so one that is not JSON is left out. */
function decodeProfile(bytes: Uint8Array): TaskProfile | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const count = (value: number): bigint => BigInt(Math.round(value));
