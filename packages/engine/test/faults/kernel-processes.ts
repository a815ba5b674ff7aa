import { readFile } from 'node:fs/promises';
import type { TesseraProcess } from '../tessera-process.ts';

/** The process id of the kernel that runs a node's queries. @throws Error if there is none */
export async function kernelPid(node: TesseraProcess): Promise<number> {
  for (const pid of await childrenOf(node.child.pid!)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`${node.dataDirectory}/kernel/`)) return pid;
  }
  throw new Error('the node has no kernel process');
}

/** The resident memory in bytes of a node's processes. */
export async function residentBytes(node: TesseraProcess): Promise<number> {
  const pids = [node.child.pid!, ...(await childrenOf(node.child.pid!))];
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
