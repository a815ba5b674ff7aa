import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kernelPid } from './faults/kernel-processes.ts';
import { query, rows } from './http.ts';
import { MAIN } from './programs.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const SLOW = 'SELECT count(*) FROM generate_series(1, 3000000000) AS g(n) WHERE n % 7 = 3';

/** The ids of the processes that `pid` started itself. */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Whether a process is alive; a zombie is not. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
}

/** A directory that is removed at the end of the test. */
async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-lifecycle-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function writeConfig(lines: readonly string[]): Promise<string> {
  const path = join(await temporaryDirectory(), 'config.yaml');
  await writeFile(path, ['schema_version: "1.0"', ...lines].join('\n'));
  return path;
}

describe('shutdown', () => {
  it('lets running queries finish, accepts no new ones, and exits with 0', async () => {
    // The value exceeds the range of a Node timer.
    const config = await writeConfig(['engine:', '  termination_grace_period: 30d']);
    await using server = await startTessera({ args: ['--config', config] });
    // The query runs until the client reads its result, of which the connection holds a small part.
    const rowCount = 6_000_000;
    const body = `SELECT n FROM generate_series(1, ${rowCount}) AS g(n)`;
    const running = await fetch(`${server.url}/?output_format=CSVWithNames`, { method: 'POST', body });
    await expect.poll(() => runningQueries(server.metricsUrl)).toBe(1);
    const stopped = server.stop('SIGTERM');
    await expect.poll(async () => (await fetch(`${server.healthUrl}/health/ready`)).status).toBe(503);
    const refused = await query(server, 'SELECT 1');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-firebolt-drained')).toBe('true');
    expect(running.status).toBe(200);
    expect((await running.text()).match(/\n/g)).toHaveLength(1 + rowCount);
    expect(await stopped).toBe(0);
  });

  it('cancels what outlives engine.termination_grace_period', async () => {
    const config = await writeConfig(['engine:', '  termination_grace_period: 1s']);
    await using server = await startTessera({ args: ['--config', config] });
    const running = query(server, SLOW);
    await expect.poll(() => runningQueries(server.metricsUrl)).toBe(1);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
  });

  it('answers an error and ends after its data directory was deleted', async () => {
    const dataDirectory = await temporaryDirectory();
    await using server = await startTessera({ dataDirectory });
    await query(server, 'CREATE TABLE t (a INT)');
    await rm(dataDirectory, { recursive: true });
    await mkdir(dataDirectory);
    const answer = await query(server, 'INSERT INTO t VALUES (1)');
    expect(answer.json().errors[0]).toMatchObject({
      name: 'METADATA_UNAVAILABLE',
      description: expect.stringContaining('meta/identity is gone: the objects were deleted or replaced'),
    });
    expect((await query(server, 'SELECT * FROM t')).text).toContain('METADATA_UNAVAILABLE');
    expect(await server.stop('SIGTERM')).toBe(0);
  });

  it('ends a kernel process that cannot be interrupted', async () => {
    const config = await writeConfig(['engine:', '  termination_grace_period: 1s']);
    await using server = await startTessera({ args: ['--config', config] });
    const running = query(server, SLOW);
    await expect.poll(() => runningQueries(server.metricsUrl)).toBe(1);
    // The stopped process simulates a long native call, which does not react to messages.
    process.kill(await kernelPid(server), 'SIGSTOP');
    expect(await server.stop('SIGTERM')).toBe(0);
    expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
  });
});

describe('one node', () => {
  let server: TesseraProcess;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-lifecycle-'));
    const config = join(directory, 'config.yaml');
    const lines = ['schema_version: "1.0"', 'execution:', '  max_threads: 2'];
    await writeFile(config, lines.join('\n'));
    server = await startTessera({ args: ['--config', config, '--allow-read', directory] });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  it('a refused client that never ends its body reads the response and is disconnected', async () => {
    const { hostname, port } = new URL(server.url);
    const client = connect(Number(port), hostname);
    client.on('error', () => undefined);
    const answer = new Promise<Buffer>((resolve) => client.once('data', resolve));
    client.write('POST / HTTP/1.1\r\nHost: example.org\r\nContent-Length: 10\r\n\r\nSELECT');
    expect(String(await answer)).toContain('HTTP/1.1 403');
    await expect.poll(() => client.closed, { timeout: 20_000 }).toBe(true);
  });

  it('reads local paths within --allow-read and no others', async () => {
    await writeFile(join(directory, 'a.csv'), '1\n');
    await writeFile(join(directory, 'b.csv'), '2\n');
    expect(await rows(server, `SELECT f0 FROM READ_CSV('${directory}/*.csv') ORDER BY 1`)).toEqual([
      ['1'],
      ['2'],
    ]);
    const refused = await query(server, `SELECT * FROM READ_CSV('${directory}/../../etc/passwd')`);
    expect(refused.json().errors[0].name).toBe('LOCATION_NOT_ALLOWED');
  });

  it('tessera query uploads a file and prints the result', async () => {
    const file = join(server.dataDirectory, 'sales.csv');
    await writeFile(file, 'region,amount\nnorth,10\n');
    const sql = "SELECT region FROM READ_CSV('upload://sales', HEADER => true)";
    const out = execFileSync(process.execPath, [MAIN, 'query', '-u', server.url, '-f', `sales=${file}`, sql]);
    expect(out.toString()).toContain('north');
  });

  it('a data directory serves one process', async () => {
    await expect(startTessera({ dataDirectory: server.dataDirectory })).rejects.toThrow(/serves from it/);
  });

  it('a kernel process that is killed is replaced within a second, and its query is run again unseen', async () => {
    const kernel = await kernelPid(server);
    const running = query(
      server,
      'SELECT count(*) FROM generate_series(1, 200000000) AS g(n) WHERE n % 7 = 3',
    );
    await expect.poll(() => runningQueries(server.metricsUrl)).toBe(1);
    process.kill(kernel, 'SIGKILL');
    const answer = await running;
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('28571429');
    expect(await rows(server, 'SELECT 42')).toEqual([[42]]);
    await expect
      .poll(async () => (await fetch(`${server.metricsUrl}/metrics`)).text())
      .toMatch(/^tessera_kernel_restarts_total\{process="queries",engine="default-engine-id"\} 1$/m);
  });

  it('does not wait for clients that send their requests slowly', async () => {
    const { hostname, port } = new URL(server.url);
    const client = connect(Number(port), hostname);
    client.on('error', () => undefined);
    const answer = new Promise<Buffer>((resolve) => client.once('data', resolve));
    // The first request is answered; a request that never ends follows on the same connection.
    client.write('GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\nGET /ping HTTP/1.1\r\nHost: ');
    expect(String(await answer)).toContain('Ok.');
    void server.stop();
    await expect.poll(() => server.child.exitCode, { timeout: 20_000 }).toBe(0);
  });
});

describe('crashes', () => {
  it('kill -9 of the node ends its kernel, and the next start removes the files of its requests', async () => {
    const first = await startTessera();
    const kernels = await childrenOf(first.child.pid!);
    await mkdir(join(first.dataDirectory, 'uploads', 'left-by-a-request'));
    await writeFile(join(first.dataDirectory, 'uploads', 'left-by-a-request', '0'), 'bytes');
    await first.stop('SIGKILL');
    for (const pid of kernels) await expect.poll(() => isAlive(pid)).toBe(false);
    await using second = await startTessera({ dataDirectory: first.dataDirectory });
    expect(await readdir(join(second.dataDirectory, 'uploads'))).toEqual([]);
    expect(await rows(second, 'SELECT 1')).toEqual([[1]]);
  });
});

describe('listeners', () => {
  it('a Unix socket serves the same API', async () => {
    const path = join(await temporaryDirectory(), 'query.sock');
    const config = await writeConfig([
      'endpoints:',
      '  http:',
      '    listeners:',
      '      - type: unix',
      `        path: ${path}`,
    ]);
    await using _server = await startTessera({ args: ['--config', config] });
    const text = await new Promise<string>((resolve, reject) => {
      const req = request(
        { socketPath: path, path: '/?output_format=CSVWithNames', method: 'POST' },
        (response) => {
          response.setEncoding('utf8');
          let body = '';
          response.on('data', (chunk: string) => (body += chunk));
          response.on('end', () => resolve(body));
        },
      );
      req.on('error', reject);
      req.end('SELECT 42 AS n');
    });
    expect(text).toBe('"n"\n42\n');
  });
});

async function runningQueries(metricsUrl: string): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return Number(/^tessera_running_queries\{\S+\} (\d+)/m.exec(text)?.[1]);
}
