import type { EngineConfig } from './schema/root.ts';

/** How the memory of an engine is divided among the processes of a node. */
export interface MemoryShares {
  /** What queries, tablets and exchanges may take of what the kernel counts; the rest of it goes to disk. */
  readonly kernelBytes: number;
  /** The whole kernel process: its program and what queries take beside what the kernel counts. */
  readonly kernelCeilingBytes: number;
  /** Plans. */
  readonly mirrorBytes: number;
  readonly mirrorCeilingBytes: number;
  /** Left to the node's own process (requests, results, files on their way). */
  readonly processBytes: number;
}

const MIRROR_BYTES = { least: 32 << 20, most: 256 << 20 };
/** A kernel process without any data. */
const KERNEL_PROGRAM_BYTES = 64 << 20;
/** The program of the node's own process without any data, and those of two kernels. */
const PROGRAM_BYTES = 448 << 20;
const MOST_PROCESS_BYTES = 1 << 30;
/** For vectors, lists and texts of queries, which the kernel does not count. */
const UNCOUNTED = { share: 1 / 8, leastBytes: 256 << 20, mostShare: 1 / 3 };

/** With less beyond what it counts a kernel process fails at ordinary work: below `LEAST_KEPT_LIMIT_BYTES` it exceeds its share. */
const LEAST_BEYOND_BYTES = 320 << 20;
/** A kernel process may take so much beyond what it counts where the limit is too small to be kept. */
const LOOSE_BEYOND_BYTES = 768 << 20;
/** A smaller limit is not kept: the programs of a node take most of it. */
export const LEAST_KEPT_LIMIT_BYTES = 1 << 30;

export function memoryShares(limitBytes: number): MemoryShares {
  const mirrorBytes = Math.min(MIRROR_BYTES.most, Math.max(MIRROR_BYTES.least, Math.floor(limitBytes / 16)));
  // Of a small limit never so much that the kernel is left with little.
  const programBytes = Math.min(PROGRAM_BYTES, Math.floor(limitBytes / 3));
  const ofPrograms = Math.min(MOST_PROCESS_BYTES, Math.max(programBytes, Math.floor(limitBytes / 8)));
  const forQueries = Math.max(0, limitBytes - mirrorBytes - ofPrograms);
  const uncounted = Math.max(
    forQueries * UNCOUNTED.share,
    Math.min(UNCOUNTED.leastBytes, forQueries * UNCOUNTED.mostShare),
  );
  const kernelBytes = Math.floor(forQueries - uncounted);
  const mirrorCeilingBytes = mirrorBytes + KERNEL_PROGRAM_BYTES;
  const share = Math.max(forQueries + KERNEL_PROGRAM_BYTES, kernelBytes + LEAST_BEYOND_BYTES);
  const processBytes = Math.max(0, limitBytes - share - mirrorCeilingBytes);
  // A ceiling near what the program itself needs would end the process at ordinary work.
  const kernelCeilingBytes = limitBytes < LEAST_KEPT_LIMIT_BYTES ? kernelBytes + LOOSE_BEYOND_BYTES : share;
  return { kernelBytes, kernelCeilingBytes, mirrorBytes, mirrorCeilingBytes, processBytes };
}

/**
 * Bytes of memory the engine may use: `max_server_memory_usage` when it is set; otherwise a fraction of the
 * host's RAM, and never so much that less than `max_server_memory_usage_headroom_bytes` of it stay free.
 */
export function memoryLimitBytes(config: EngineConfig, hostRamBytes: number): number {
  const { engine } = config;
  if (engine.max_server_memory_usage > 0) return engine.max_server_memory_usage;
  const share = Math.floor(hostRamBytes * engine.max_server_memory_usage_to_ram_ratio);
  return Math.max(0, Math.min(share, hostRamBytes - engine.max_server_memory_usage_headroom_bytes));
}
