import { type KernelLog, type RegisteredBuffers, registerBuffers } from '@tessera/kernel';

const MIB = 1 << 20;

/**
 * Registers the memory of this process for outputs of tasks, and logs once if the system does not lock it. Exchanges then use it
 * as ordinary memory.
 * @returns undefined without bytes, or if the system has no such memory
 */
export async function registerExchangeBuffers(
  log: KernelLog,
  bytes: number,
): Promise<RegisteredBuffers | undefined> {
  if (bytes === 0) return undefined;
  const buffers = await registerBuffers(bytes);
  if (buffers !== undefined) report(log, buffers);
  return buffers;
}

export function report(log: KernelLog, { bytes, isLocked, limitBytes }: Omit<RegisteredBuffers, 'close'>) {
  const fields = {
    bufferBytes: bytes,
    memlockLimitBytes: limitBytes === Number.POSITIVE_INFINITY ? 'unlimited' : limitBytes,
  };
  if (isLocked) {
    log.info(fields, 'the exchange buffers are locked in memory');
    return;
  }
  const mib = Math.ceil(bytes / MIB);
  log.warn(
    fields,
    `RLIMIT_MEMLOCK is too low to lock the exchange buffers; exchanges use ordinary memory instead. Start the node after ` +
      `"ulimit -l ${mib * 1024}" (LimitMEMLOCK=${mib}M in a systemd unit, ulimits.memlock in a compose file), or with a lower --exchange-buffer-bytes`,
  );
}
