import { totalmem } from 'node:os';
import type { EngineConfig } from './schema/root.ts';

/** How the memory of an engine is divided among the processes of a node; the ceilings add up to the limit. */
export interface MemoryShares {
  /**
   * The part of the kernel's counted memory that queries, tablets and exchanges may use before they spill to
   * disk.
   */
  readonly kernelBytes: number;
  /**
   * The ceiling of the kernel processes together: their program, and memory of queries that the kernel does not
   * count.
   */
  readonly kernelCeilingBytes: number;
  /** The limit of the memory that the mirror counts, for planning. */
  readonly mirrorBytes: number;
  readonly mirrorCeilingBytes: number;
  /**
   * The share of the node process: requests, results, files in transit. If it needs more, the kernel gets less.
   */
  readonly processBytes: number;
}

const MIRROR_BYTES = { share: 1 / 16, least: 32 << 20, most: 256 << 20 };
/** The node process: its program, and the data that passes through it. */
const NODE_BYTES = { program: 160 << 20, share: 1 / 16, most: 1 << 30 };
/** A kernel process without any data. */
const KERNEL_PROGRAM_BYTES = 64 << 20;
/**
 * The mirror without statements that it plans: its program, the macros of all functions, and the reserve of its
 * heap.
 */
const MIRROR_PROGRAM_BYTES = 96 << 20;
/** Vectors, lists and texts of queries, which the kernel does not count. */
const UNCOUNTED = { share: 1 / 8, leastBytes: 256 << 20, mostShare: 1 / 3 };

/**
 * A smaller limit is not enforced: the programs of a node take most of it, and a tighter ceiling would end them
 * during ordinary work.
 */
export const LEAST_KEPT_LIMIT_BYTES = 512 << 20;

export function memoryShares(limitBytes: number): MemoryShares {
  const keptBytes = Math.max(limitBytes, LEAST_KEPT_LIMIT_BYTES);
  const mirrorBytes = Math.min(
    MIRROR_BYTES.most,
    Math.max(MIRROR_BYTES.least, Math.floor(keptBytes * MIRROR_BYTES.share)),
  );
  const mirrorCeilingBytes = mirrorBytes + MIRROR_PROGRAM_BYTES;
  const processBytes = Math.min(
    NODE_BYTES.most,
    NODE_BYTES.program + Math.floor(keptBytes * NODE_BYTES.share),
  );
  const kernelCeilingBytes = keptBytes - mirrorCeilingBytes - processBytes;
  const forQueries = kernelCeilingBytes - KERNEL_PROGRAM_BYTES;
  const uncounted = Math.max(
    forQueries * UNCOUNTED.share,
    Math.min(UNCOUNTED.leastBytes, forQueries * UNCOUNTED.mostShare),
  );
  const kernelBytes = Math.floor(forQueries - uncounted);
  return { kernelBytes, kernelCeilingBytes, mirrorBytes, mirrorCeilingBytes, processBytes };
}

/** The memory of the machine, or of the control group if that is less. */
export const machineMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || totalmem());

/**
 * The memory that the engine may use, in bytes: `max_server_memory_usage` if it is set; otherwise a fraction of
 * the host's RAM that leaves at least `max_server_memory_usage_headroom_bytes` free.
 */
export function memoryLimitBytes(config: EngineConfig, hostRamBytes: number): number {
  const { engine } = config;
  if (engine.max_server_memory_usage > 0) return engine.max_server_memory_usage;
  const share = Math.floor(hostRamBytes * engine.max_server_memory_usage_to_ram_ratio);
  return Math.max(0, Math.min(share, hostRamBytes - engine.max_server_memory_usage_headroom_bytes));
}
