import { PayloadPool } from '../protocol/payload-pool.ts';

/** Shared by all sessions: a buffer that one session has sent to its client can be filled by another. */
export const batchPayloads = new PayloadPool();

/** Memory of this process that batches of kernels are read into. */
export interface RegisteredBuffers {
  readonly bytes: number;
  /** Whether the memory is locked, so that the system does not page it out. */
  readonly isLocked: boolean;
  /** How much the process may lock (RLIMIT_MEMLOCK); `Infinity` without a limit. */
  readonly limitBytes: number;
  /** Gives the memory back to the system. To be called once no batches are read any more. */
  close(): void;
}

/**
 * Registers memory that batches are read into as long as it has room. A process may do so once at a time.
 * @returns undefined if the system has no such memory
 */
export async function registerBuffers(bytes: number): Promise<RegisteredBuffers | undefined> {
  // The node process calls no native functions otherwise, so it only loads the means to do so here.
  const { RegisteredMemory } = await import('../native/registered-memory.ts');
  const memory = RegisteredMemory.open(bytes);
  if (memory === undefined) return undefined;
  batchPayloads.register(memory);
  const { isLocked, limitBytes } = memory;
  const close = () => {
    batchPayloads.register(undefined);
    memory.close();
  };
  return { bytes, isLocked, limitBytes, close };
}
