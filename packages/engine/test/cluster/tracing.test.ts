import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query } from '../http.ts';
import { RawClient, query as simple } from '../postgres-client.ts';
import { EngineCluster } from './engine-cluster.ts';
import { until } from './until.ts';

/** A span as a receiver of OTLP gets it. */
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number; readonly message: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  /** The node that sent it. */
  readonly node: string;
}

const spans: ReceivedSpan[] = [];
const headers = new Set<string | undefined>();
/** The engines that sent spans. */
const engines = new Set<string | undefined>();
let receiver: Server;
let cluster: EngineCluster;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    headers.add(request.headers['x-tenant'] as string);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      const resourceOf = (name: string) =>
        resource.attributes.find(({ key }: { key: string }) => key === name)?.value.stringValue;
      engines.add(resourceOf('tessera.engine'));
      for (const span of scopeSpans[0].spans) spans.push({ ...span, node: resourceOf('tessera.node') });
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const { port } = receiver.address() as AddressInfo;
  cluster = await EngineCluster.start({
    nodes: 2,
    engine: { id: 'a-traced-engine' },
    args: ['--postgres-port', '0'],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven%20seas',
    },
  });
}, 180_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  receiver.close();
});

/** The spans of a trace once it has one of each of these names, and the parent of each span: nodes send theirs by themselves. */
async function traceWith(traceId: string, ...names: readonly string[]): Promise<readonly ReceivedSpan[]> {
  let found: readonly ReceivedSpan[] = [];
  const missing = () => names.filter((name) => !found.some((span) => span.name === name));
  const orphans = () => {
    const ids = new Set([CLIENT_SPAN, ...found.map(({ spanId }) => spanId)]);
    return found.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
  };
  await until('spans', 25_000, () => {
    found = spans.filter((span) => span.traceId === traceId);
    return missing().length === 0 && orphans().length === 0;
  }).catch(() => undefined);
  const unexplained =
    missing().length > 0 ? found.map(({ name }) => name) : orphans().map(({ name }) => name);
  expect({ missing: missing(), unexplained }).toEqual({ missing: [], unexplained: [] });
  return found;
}

const TEST_MS = 120_000;
const CLIENT_SPAN = 'b7ad6b7169203331';
const traceparent = (traceId: string, flags = '01') => `00-${traceId}-${CLIENT_SPAN}-${flags}`;
const of = ({ attributes }: ReceivedSpan, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

it(
  'a statement over HTTP belongs to the trace of its client, on all nodes, down to the object store',
  async () => {
    const [loading, asking] = ['1'.repeat(32), '2'.repeat(32)];
    const node = cluster.node(0);
    const table =
      'CREATE TABLE traced AS SELECT n, n % 10 AS k, md5(n::text) AS t FROM generate_series(1, 50000) AS g(n)';
    const created = await query(node, table, {}, { traceparent: traceparent(loading) });
    expect(created.status, created.text).toBe(200);
    await traceWith(loading, 'query', 'parse', 'write rows', 'commit', 'object store put');

    const sql = 'SELECT a.k, count(*) FROM traced a JOIN traced b ON a.n = b.n GROUP BY a.k ORDER BY 1';
    const spread = {
      query_id: 'in-a-trace',
      min_distributed_bytes: '0',
      nodes_per_query: '2',
      whole_table_bytes: '0',
    };
    const answer = await query(node, sql, spread, { traceparent: traceparent(asking) });
    expect(answer.status, answer.text).toBe(200);
    const trace = await traceWith(asking, 'query', 'parse', 'plan', 'stage 0', 'task 0.0', 'fetch');
    const root = trace.find(({ name }) => name === 'query')!;
    expect(root).toMatchObject({ parentSpanId: CLIENT_SPAN, kind: 2, node: '0' });
    expect([
      of(root, 'tessera.query_id'),
      of(root, 'db.query.text'),
      of(root, 'tessera.returned_rows'),
    ]).toEqual(['in-a-trace', sql, '10']);
    const byId = new Map(trace.map((span) => [span.spanId, span]));
    for (const span of trace) {
      if (span === root) continue;
      const parent = byId.get(span.parentSpanId!);
      expect(parent, `the parent of ${span.name}`).toBeDefined();
      if (span.name.startsWith('task')) expect(parent!.name).toBe(`stage ${of(span, 'tessera.stage')}`);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    const tasks = () => spans.filter(({ traceId, name }) => traceId === asking && name.startsWith('task 0.'));
    await until('tasks of both nodes', 25_000, () => new Set(tasks().map((span) => span.node)).size === 2);
    expect(headers).toEqual(new Set(['seven seas']));
    expect(engines).toEqual(new Set(['a-traced-engine']));
  },
  TEST_MS,
);

it('a statement over PostgreSQL belongs to the trace that a setting names, and the trace contains its error', async () => {
  const traceId = '3'.repeat(32);
  using client = await RawClient.open(cluster.node(1).postgres);
  await client.ask(simple(`SET traceparent = '${traceparent(traceId)}'`));
  await client.ask(simple('SELECT 1 / (n - n) FROM traced'));
  const trace = await traceWith(traceId, 'query', 'execute');
  const failed = trace.find(({ status }) => status !== undefined && status.code === 2);
  expect(failed?.status).toEqual({ code: 2, message: 'division by zero' });
  expect(trace.filter(({ name }) => name === 'query').map((span) => of(span, 'tessera.protocol'))).toContain(
    'postgres',
  );
  const [wrong] = (await client.ask(simple("SET traceparent = 'mine'"))).filter((line) =>
    line.startsWith('E'),
  );
  expect(wrong).toMatch(/traceparent/);
});

it('a client that does not record its trace, or sends a header that is not valid, is no error', async () => {
  const [unsampled, marker] = ['4'.repeat(32), '5'.repeat(32)];
  for (const header of [traceparent(unsampled, '00'), 'nonsense', traceparent(marker)]) {
    const answer = await query(cluster.node(0), 'SELECT 42', {}, { traceparent: header });
    expect(answer.status).toBe(200);
  }
  await traceWith(marker, 'query');
  expect(spans.filter((span) => span.traceId === unsampled)).toEqual([]);
});
