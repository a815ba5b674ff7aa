import { engineNodes } from '@tessera/config';
import type { ServeOptions } from './serve-options.ts';

const DEFAULT_BYTES = 64 << 20;

/**
 * The bytes of exchange buffers that each process which exchanges rows should register, within its share of the memory. Only
 * nodes that exchange rows with others have some.
 */
export function exchangeBufferBytes({ config, exchangeBufferBytes: wanted }: ServeOptions): number {
  if (!config.execution.enable_shuffle || engineNodes(config).length === 1) return 0;
  return wanted ?? DEFAULT_BYTES;
}
