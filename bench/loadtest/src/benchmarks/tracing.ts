import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { cpuSeconds } from '../processes/cpu-time.ts';
import { type OwnNode, startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';

/** Statements of one round, and of the rounds before the first one that counts, until the code is compiled. */
const STATEMENTS = 3_000;
const WARM_UP = 6_000;
const ROUNDS = 10;
const CONNECTIONS = 4;
const TARGET = { at: 'most', value: 1.05 } as const;

/** The CPU time of SELECT 42 on a node that sends traces and on one that does not, in turn. */
export const tracing: Benchmark = async ({ scale, options, progress }) => {
  let bytes = 0;
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const nodes: { readonly traces: boolean; readonly node: OwnNode; readonly ms: number[] }[] = [];
  try {
    for (const traces of [false, true]) {
      const env = traces ? { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } : {};
      nodes.push({ traces, node: await startTessera({ env }), ms: [] });
    }
    for (const { node } of nodes) await statements(node.url, Math.ceil(WARM_UP * scale));
    const count = Math.ceil(STATEMENTS * scale);
    const rounds = options.runs ?? ROUNDS;
    for (let round = 0; round < rounds; round++)
      for (const { node, ms } of round % 2 === 0 ? nodes : nodes.toReversed()) {
        progress('SELECT 42 with and without traces', round / rounds);
        const before = cpuSeconds(node.pid!);
        await statements(node.url, count);
        ms.push((1000 * (cpuSeconds(node.pid!) - before)) / count);
      }
    if (bytes === 0) throw new Error('The receiver got no spans');
    const off = nodes.find(({ traces }) => !traces)!.ms;
    return {
      benchmark: 'tracing',
      title: 'Tracing',
      method: `\`SELECT 42\` over ${CONNECTIONS} connections, in ${rounds} rounds of ${count} on a node without tracing and on one that sends spans to a receiver on this machine, in turn. *CPU*: of all processes of the node, per statement; *ratio*: to the node without tracing in the same round.`,
      lines: nodes.map(({ traces, ms }) => ({
        what: traces ? 'tracing on' : 'tracing off',
        figures: {
          CPU: figure('ms', ms),
          ...(traces && {
            ratio: figure(
              '×',
              ms.map((each, round) => each / off[round]!),
              TARGET,
            ),
          }),
        },
      })),
    };
  } finally {
    for (const { node } of nodes) await node.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
};

async function statements(url: string, count: number): Promise<void> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  let left = count;
  const connection = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ method: 'POST', path: '/', body: 'SELECT 42' });
      const answer = await body.text();
      if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${answer}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  } finally {
    await pool.close();
  }
}
