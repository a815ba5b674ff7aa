import type { Kernel } from '@tessera/kernel';
import { simulatedFaults } from './simulated-faults.ts';

/** The kernel's version, such as `v1.5.6`. Nodes must have the same one to compute equal hash buckets. */
export async function kernelVersion(kernel: Kernel): Promise<string> {
  const claimed = simulatedFaults().kernelVersion;
  if (claimed !== undefined) return claimed;
  const session = await kernel.session();
  try {
    return String(await session.scalar('SELECT version()'));
  } finally {
    session.close();
  }
}
