import type { Authenticator } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MetricSet } from './metric-set.ts';
import { NodeMetrics } from './node-metrics.ts';

let metrics: NodeMetrics;

beforeEach(() => {
  metrics = new NodeMetrics('e');
});

afterEach(() => metrics.close());

const samples = async (name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));

it('counts queries of both endpoints by outcome and by who caused the failure', async () => {
  for (const outcome of ['ok', 'SYNTAX_ERROR', 'QUERY_CANCELLED', 'OUT_OF_MEMORY', 'of the future'])
    metrics.endpoints.http.startQuery()(outcome);
  metrics.endpoints.postgres.startQuery()('ok');
  expect(await samples('tessera_queries_total')).toEqual([
    'tessera_queries_total{endpoint="http",outcome="ok",class="ok",engine="e"} 1',
    'tessera_queries_total{endpoint="postgres",outcome="ok",class="ok",engine="e"} 1',
    'tessera_queries_total{endpoint="http",outcome="SYNTAX_ERROR",class="client",engine="e"} 1',
    'tessera_queries_total{endpoint="http",outcome="QUERY_CANCELLED",class="cancelled",engine="e"} 1',
    'tessera_queries_total{endpoint="http",outcome="OUT_OF_MEMORY",class="server",engine="e"} 1',
    'tessera_queries_total{endpoint="http",outcome="of the future",class="server",engine="e"} 1',
  ]);
});

it('counts accepted and rejected logins', async () => {
  const refuse = async () => {
    throw TesseraError.of('UNAUTHENTICATED', { message: 'no' });
  };
  const user = { name: 'ana', id: '1' };
  const authenticator = metrics.counted({
    mode: 'native',
    postgres: 'password',
    token: async () => user,
    password: refuse,
    scram: async () => ({ first: (message: string) => message, final: refuse }),
    issue: undefined,
    jwks: undefined,
    close: async () => {},
  } as unknown as Authenticator);
  expect(await authenticator.token('t', 'unix')).toBe(user);
  await expect(authenticator.password('ana', 'p', 'unix')).rejects.toThrow('no');
  await expect((await authenticator.scram('ana', 'unix')).final('m')).rejects.toThrow('no');
  expect(await samples('tessera_authentications_total')).toEqual([
    'tessera_authentications_total{method="token",outcome="ok",engine="e"} 1',
    'tessera_authentications_total{method="password",outcome="UNAUTHENTICATED",engine="e"} 1',
    'tessera_authentications_total{method="scram",outcome="UNAUTHENTICATED",engine="e"} 1',
  ]);
});

it('omits metrics without a current value, and reads each external counter once', async () => {
  const set = new MetricSet();
  let [value, total]: [number | undefined, number] = [7, 3];
  set.gauge('now', 'h', () => value);
  set.total('ever_total', 'h', () => total);
  const told = async () =>
    (await set.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(await told()).toEqual(['now 7', 'ever_total 3']);
  [value, total] = [undefined, 5];
  expect(await told()).toEqual(['ever_total 5']);
});

it('has names in the conventions of Prometheus', () => {
  metrics.observe({ kernels: {} } as Parameters<NodeMetrics['observe']>[0]);
  const own = metrics.definitions.filter(({ name }) => name.startsWith('tessera_'));
  for (const { name, type, help } of own) {
    expect(name).toMatch(/^tessera_[a-z0-9]+(_[a-z0-9]+)*$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    expect(name, 'base units').not.toMatch(/_(ms|milliseconds|kilobytes|megabytes|percent)(_|$)/);
    expect(help.length, name).toBeGreaterThan(5);
  }
});
