import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { undoneAtExit } from './undone-at-exit.ts';

const MAIN = fileURLToPath(new URL('../../../../packages/engine/src/main.ts', import.meta.url));

interface Facts {
  readonly nodes: readonly { readonly index: number; readonly url: string; readonly pid: number }[];
}

/** A `tessera dev-cluster --restart`, whose nodes may be killed or paused and are restarted when they die. */
export class OwnDevCluster {
  /** The addresses for statements, by node; a restarted node keeps its address. */
  readonly urls: readonly string[];
  readonly #pids: number[];
  readonly #stop: () => Promise<void>;

  private constructor({ nodes }: Facts, stop: () => Promise<void>) {
    this.urls = nodes.map(({ url }) => url);
    this.#pids = nodes.map(({ pid }) => pid);
    this.#stop = stop;
  }

  /**
   * Resolves when all nodes run and know each other. @throws Error with the program's output if it did not
   * start
   */
  static async start(nodes: number): Promise<OwnDevCluster> {
    const args = ['dev-cluster', '--nodes', String(nodes), '--base-port', '0', '--restart', '--json'];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let cluster: OwnDevCluster | undefined;
    const said: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const restarted = /^Node (\d+) is process (\d+) now$/.exec(line);
      if (restarted !== null && cluster !== undefined)
        cluster.#pids[Number(restarted[1])] = Number(restarted[2]);
    });
    const exited = once(child, 'close');
    const callOff = undoneAtExit(() => {
      if (cluster !== undefined) cluster.#resumeAll();
      child.kill('SIGTERM');
    });
    const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text));
    const facts = await Promise.race([line, exited.then(() => undefined)]);
    if (facts === undefined) {
      callOff();
      throw new Error(`tessera dev-cluster did not start:\n${said.join('\n')}`);
    }
    cluster = new OwnDevCluster(JSON.parse(facts) as Facts, async () => {
      cluster!.#resumeAll();
      child.kill('SIGTERM');
      await exited;
      callOff();
    });
    return cluster;
  }

  /** After `SIGSTOP`, the node is suspended until `SIGCONT`. */
  signal(node: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#pids[node]!, signal);
  }

  /** Resumes all nodes, so that they can be stopped. */
  #resumeAll(): void {
    for (const pid of this.#pids) {
      try {
        process.kill(pid, 'SIGCONT');
      } catch {
        // The process is dead.
      }
    }
  }

  /** Ends all nodes and removes their data. */
  stop(): Promise<void> {
    return this.#stop();
  }
}
