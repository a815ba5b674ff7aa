import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { metric } from '../cluster/metrics.ts';
import { query } from '../http.ts';
import { startTessera } from '../tessera-process.ts';

const POLL = { timeout: 20_000, interval: 50 };
const SLOW = 'SELECT count(*) FROM generate_series(1, 30000000000) AS g(n) WHERE n % 7 = 3';

it('with --drain-delay a node first reports that it is not ready, and closes connections with its responses', async () => {
  await using server = await startTessera({ args: ['--drain-delay', '3600'] });
  using agent = new KeptConnection(server.url);
  expect(await agent.ask('SELECT 1')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const stopped = server.stop('SIGTERM');
  await expect.poll(async () => (await fetch(`${server.healthUrl}/health/ready`)).status, POLL).toBe(503);
  // The statements run on the existing connection and on a new one.
  expect(await agent.ask('SELECT 2')).toMatchObject({ status: 200, connection: 'close', isReused: true });
  expect(await agent.ask('SELECT 3')).toMatchObject({ status: 200, connection: 'close', isReused: false });
  server.child.kill('SIGTERM');
  expect(await stopped).toBe(130);
});

it('a node that drains closes connections without a request', async () => {
  await using server = await startTessera();
  const { hostname, port } = new URL(server.url);
  const idle = connect(Number(port), hostname);
  idle.write('GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(idle, 'data');
  const running = query(server, SLOW, { query_id: 'slow' });
  await expect.poll(() => metric(server, 'tessera_running_queries'), POLL).toBe(1);
  const ended = once(idle, 'close');
  idle.resume();
  const stopped = server.stop('SIGTERM');
  await ended;
  // The node is still running at this point.
  expect(server.child.exitCode).toBeNull();
  await fetch(`${server.url}/cancel?query_id=slow`, { method: 'POST' });
  expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
  expect(await stopped).toBe(0);
});

interface Told {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly isReused: boolean;
}

/** A client that keeps its connection as long as the server allows. */
class KeptConnection implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(sql: string): Promise<Told> {
    const sent = request(this.#url, { method: 'POST', agent: this.#agent });
    sent.end(sql);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    const { statusCode: status, headers } = response;
    return { status, connection: headers.connection, isReused: sent.reusedSocket };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
