import { readdir, readFile } from 'node:fs/promises';
import type { TesseraProcess } from '../tessera-process.ts';

/** The process id of the kernel that runs a node's queries. @throws Error if there is none */
export async function kernelPid(node: TesseraProcess): Promise<number> {
  for (const pid of await childrenOf(node.child.pid!)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`${node.dataDirectory}/kernel/`)) return pid;
  }
  throw new Error('the node has no kernel process');
}

/**
 * Stops the kernel that runs a node's queries, so that its tasks run until `release`. A stopped kernel does not notice the end
 * of its node, either.
 */
export async function stoppedKernel(node: TesseraProcess): Promise<{ release(): void }> {
  const pid = await kernelPid(node);
  process.kill(pid, 'SIGSTOP');
  return { release: () => void process.kill(pid, 'SIGCONT') };
}

/**
 * How many threads of a node's kernel have more than a fifth of the processor time that they take while `work` runs, without the
 * thread of its event loop.
 */
export async function kernelThreads(node: TesseraProcess, work: () => Promise<unknown>): Promise<number> {
  const pid = await kernelPid(node);
  const tasks = `/proc/${pid}/task`;
  const ticks = async () => {
    const read = async (thread: string): Promise<readonly [string, number]> => {
      // A thread may have ended meanwhile.
      const stat = await readFile(`${tasks}/${thread}/stat`, 'utf8').catch(() => '');
      const [user = 0, system = 0] = (stat.split(') ')[1] ?? '').split(' ').slice(11, 13);
      return [thread, Number(user) + Number(system)];
    };
    const threads = (await readdir(tasks)).filter((thread) => thread !== String(pid));
    return new Map(await Promise.all(threads.map(read)));
  };
  const before = await ticks();
  await work();
  const used = [...(await ticks())].map(([thread, now]) => now - (before.get(thread) ?? 0));
  const total = used.reduce((sum, one) => sum + one, 0);
  return used.filter((one) => one > total / 5).length;
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
