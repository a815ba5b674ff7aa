import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { firstLine } from '../first-line.ts';
import { query, rows } from '../http.ts';
import { command, startCommand } from './command.ts';

const TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 100 };

interface Facts {
  readonly directory: string;
  readonly user?: string;
  readonly password?: string;
  readonly nodes: readonly { readonly url: string; readonly pid: number; readonly name: string }[];
}

/** Waits for the JSON that it prints when all nodes are ready, and collects its messages to the user. */
async function started(child: ChildProcess): Promise<{ facts: Facts; output: string[] }> {
  const output: string[] = [];
  createInterface(child.stderr!).on('line', (line) => output.push(line));
  const line = await firstLine(child).catch(async (error: Error) => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    throw new Error(`${error.message}: ${output.join('\n')}`);
  });
  return { facts: JSON.parse(line) as Facts, output };
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it(
  'tessera dev-cluster runs nodes that share tables, restarts them when they die, and leaves nothing behind',
  async () => {
    const child = startCommand('dev-cluster', '--nodes', '2', '--base-port', '0', '--restart', '--json');
    const exited = once(child, 'exit');
    try {
      const { facts, output } = await started(child);
      const [first, second] = facts.nodes;
      await query(first!, 'CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) AS g(n)');
      expect(await rows(second!, 'SELECT count(*)::int FROM t')).toEqual([[1_000]]);

      process.kill(second!.pid, 'SIGKILL');
      await expect.poll(() => output.join('\n'), POLL).toMatch(/Node 1 \(process \d+\) ended: SIGKILL/);
      const running = "SELECT count(*)::int FROM information_schema.nodes WHERE status = 'RUNNING'";
      await expect.poll(() => output.join('\n'), POLL).toMatch(/is process \d+ now/);
      await expect.poll(() => rows(first!, running), POLL).toEqual([[2]]);
      await expect
        .poll(() => rows(second!, 'SELECT count(*)::int FROM t').catch(() => []), POLL)
        .toEqual([[1_000]]);

      child.kill('SIGINT');
      expect(await exited).toEqual([0, null]);
      expect(await isThere(facts.directory)).toBe(false);
      const pids = [first!.pid, Number(/is process (\d+) now/.exec(output.join('\n'))?.[1])];
      expect(pids.filter(isAlive)).toEqual([]);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  },
  TIMEOUT_MS,
);

it(
  'tessera dev-cluster --native-auth prints an administrator who can log in at every node; tokens are valid on all nodes',
  async () => {
    const child = startCommand('dev-cluster', '--nodes', '2', '--base-port', '0', '--native-auth', '--json');
    const exited = once(child, 'exit');
    try {
      const { nodes, user, password } = (await started(child)).facts;
      const [first, second] = nodes;
      const asked = await fetch(`${first!.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'password', username: user!, password: password! }),
      });
      const { access_token: token } = (await asked.json()) as { access_token: string };
      const authorization = `Bearer ${token}`;
      const ask = (headers: Record<string, string>) =>
        fetch(second!.url, { method: 'POST', body: 'SELECT session_user', headers });
      expect(await (await ask({ authorization })).text()).toContain('admin');
      expect((await ask({})).status).toBe(401);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  },
  TIMEOUT_MS,
);

it(
  'the nodes of a dev cluster end when it is killed',
  async () => {
    const child = startCommand('dev-cluster', '--nodes', '1', '--base-port', '0', '--json');
    const { facts } = await started(child);
    child.kill('SIGKILL');
    await expect.poll(() => isAlive(facts.nodes[0]!.pid), POLL).toBe(false);
    // The kernels of the node end after it.
    await rm(facts.directory, { recursive: true, maxRetries: 10 });
  },
  TIMEOUT_MS,
);

it('ports that are in use are named', async () => {
  const { code, stderr } = await command('dev-cluster', '--nodes', '64', '--base-port', '65000');
  expect(code).toBe(1);
  expect(stderr).toContain('64 nodes need 650 ports');
});
