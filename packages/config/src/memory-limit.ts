import type { EngineConfig } from './schema/root.ts';

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
