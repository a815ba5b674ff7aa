import { cancellation } from '@tessera/common';
import { interruptOnAbort, type Kernel, type KernelSession } from '@tessera/kernel';
import type { StoredOutput } from '@tessera/shuffle';
import type { RunTaskOptions, Task, TaskOutcome, TaskProgress } from '../dist-exec.ts';
import type { CpuMeter } from './cpu-meter.ts';
import { inlineSummaries } from './inline-summaries.ts';
import { keySummaries } from './key-summaries.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { type OpenedTask, openSources, type SourceServices } from './open-sources.ts';
import { type OutputServices, storeOutput } from './store-output.ts';
import { taskProfile } from './task-profile.ts';
import { TaskWatch } from './task-watch.ts';

export interface TaskServices extends SourceServices, OutputServices {
  readonly kernel: Kernel;
  readonly cpu: CpuMeter;
  readonly memory: MemoryWatch;
  /** The `host:port` of the node's own shuffle service. */
  readonly shuffleAddress: string;
}

/** Runs a task that has a slot. If it fails or is cancelled, its output is released. */
export async function taskRun(
  task: Task,
  options: RunTaskOptions,
  services: TaskServices,
): Promise<TaskOutcome> {
  const { signal } = options;
  const { timeZone, maxThreads = 0, sharesTables = true } = task;
  const how = { timeZone, maxThreads, sharesTables, signal };
  const session = options.session ?? (await services.kernel.session(how));
  const endInterrupts = options.session && interruptOnAbort(session, signal);
  try {
    return await measured(task, session, options, services);
  } catch (error) {
    throw signal.aborted ? cancellation(signal) : error;
  } finally {
    endInterrupts?.();
    if (session !== options.session) await session.close();
  }
}

async function measured(
  task: Task,
  session: KernelSession,
  { signal, onProgress }: RunTaskOptions,
  services: TaskServices,
): Promise<TaskOutcome> {
  const startedAt = performance.now();
  const cpu = services.cpu.start();
  let progress: TaskProgress = {};
  const report = (change: TaskProgress) => {
    progress = { ...progress, ...change };
    onProgress?.(progress);
  };
  const watch = new TaskWatch({ memory: services.memory, session, cpu, onProgress: report });
  let sources: OpenedTask | undefined;
  try {
    sources = await openSources(task, session, signal, services);
    const onLarge = () => report({ hasRows: true });
    // The rows of other sources may have the same SQL as those of another task.
    const keep = task.holdsNoRows === true && sources.relations.every(({ isFixed }) => isFixed);
    const { profile, ...stored } = await storeOutput(
      task,
      sources.sql,
      { session, signal, keep, onLarge },
      services,
    );
    const summaries = await summariesOf(task, stored, session, signal, services);
    // The interrupt may have arrived too late for the statement that it was meant for.
    if (signal.aborted) throw cancellation(signal);
    return {
      ...stored,
      cpuMs: cpu.end(),
      elapsedMs: performance.now() - startedAt,
      fetchedRows: sources.fetchedRows,
      fetchedBytes: sources.fetchedBytes,
      storageBytesFetched: sources.storageBytesFetched,
      storageBytesCached: sources.storageBytesCached,
      reads: sources.reads,
      // The watch sees files of fetched rows too, when it looks in time.
      spilledBytes: stored.spilledBytes + Math.max(sources.spilledBytes, watch.spilledBytes),
      summaries,
      ...(profile !== undefined && { profile: taskProfile(profile, sources.relations) }),
    };
  } finally {
    cpu.end();
    watch.end();
    sources?.release();
  }
}

async function summariesOf(
  { key, output }: Task,
  { rows, inline }: StoredOutput,
  session: KernelSession,
  signal: AbortSignal,
  { shuffle, shuffleAddress }: TaskServices,
): Promise<TaskOutcome['summaries']> {
  const { columns, summarised, filterKeys } = output;
  if (summarised.length === 0) return [];
  if (rows === 0) return summarised.map((column) => ({ column, values: [] }));
  const ofInline = inline && inlineSummaries(inline, output);
  if (ofInline !== undefined) return ofInline;
  const block = { producer: key, address: shuffleAddress, incarnation: shuffle.incarnation };
  const { sql } = await shuffle.fetch(session, [block], output, signal);
  return keySummaries(session, sql, { columns, summarised, filterKeys, rows });
}
