import type { EngineConfig } from './schema/root.ts';

/** How the memory of an engine is divided among the processes of a node. */
export interface MemoryShares {
  /** Runs queries, keeps tablets and what nodes exchange. */
  readonly kernelBytes: number;
  /** Plans. */
  readonly mirrorBytes: number;
  /** Left to the node's own process (requests, results, files on their way) and to what the programs take without data. */
  readonly processBytes: number;
}

const MIRROR_BYTES = { least: 32 << 20, most: 256 << 20 };
/** The programs of a node's three processes without any data. */
const PROGRAM_BYTES = 448 << 20;
const MOST_PROCESS_BYTES = 1 << 30;

export function memoryShares(limitBytes: number): MemoryShares {
  const mirrorBytes = Math.min(MIRROR_BYTES.most, Math.max(MIRROR_BYTES.least, Math.floor(limitBytes / 16)));
  // Of a small limit never so much that the kernel is left with little.
  const programBytes = Math.min(PROGRAM_BYTES, Math.floor(limitBytes / 4));
  const processBytes = Math.min(MOST_PROCESS_BYTES, Math.max(programBytes, Math.floor(limitBytes / 8)));
  return { kernelBytes: Math.max(0, limitBytes - mirrorBytes - processBytes), mirrorBytes, processBytes };
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
