import { totalmem } from 'node:os';
import type { EngineConfig } from './schema/root.ts';

/** How the memory of an engine is divided among the processes of a node; the ceilings add up to the limit. */
export interface MemoryShares {
  /** What queries, tablets and exchanges may take of what the kernel counts; the rest of it goes to disk. */
  readonly kernelBytes: number;
  /** The kernel processes together: the program, and what queries take beside what the kernel counts. */
  readonly kernelCeilingBytes: number;
  /** Limit of the memory that the mirror counts, for planning. */
  readonly mirrorBytes: number;
  readonly mirrorCeilingBytes: number;
  /** The node's own process: requests, results, files on their way. What it takes beyond is taken from the kernel's. */
  readonly processBytes: number;
}

const MIRROR_BYTES = { share: 1 / 16, least: 32 << 20, most: 256 << 20 };
/** The node's own process: its program, and what passes through it. */
const NODE_BYTES = { program: 160 << 20, share: 1 / 16, most: 1 << 30 };
/** A kernel process without any data. */
const KERNEL_PROGRAM_BYTES = 64 << 20;
/** The mirror without the statements that it plans: its program, the macros of all functions, and the reserve of its heap. */
const MIRROR_PROGRAM_BYTES = 96 << 20;
/** For vectors, lists and texts of queries, which the kernel does not count. */
const UNCOUNTED = { share: 1 / 8, leastBytes: 256 << 20, mostShare: 1 / 3 };

/** A smaller limit is not kept: the programs of a node take most of it, and a tighter ceiling would end them at ordinary work. */
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

/** The memory of the machine, or of the control group if that has less. */
export const machineMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || totalmem());

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
