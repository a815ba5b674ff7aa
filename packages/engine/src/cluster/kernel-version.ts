import type { Kernel } from '@tessera/kernel';
import { simulatedFaults } from './simulated-faults.ts';

/** `v1.5.6`: what nodes must have in common to cut rows alike. */
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
