import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startNode } from '../running-node.ts';
import { ALERTS, expressions } from './expressions.ts';
import { type PrometheusProcess, startPrometheus } from './prometheus-process.ts';

const MAIN = fileURLToPath(new URL('../../../packages/engine/src/main.ts', import.meta.url));
const PORTS = ['http', 'health', 'metrics', 'storage-manager', 'storage-agent', 'distexec', 'shuffle'];

const stack = new AsyncDisposableStack();
let prometheus: PrometheusProcess;
let page: string;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-scraped-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const ports = [...PORTS, 'postgres'].flatMap((port) => [`--${port}-port`, '0']);
  const command = [process.execPath, MAIN, 'serve', '--data-dir', directory, ...ports];
  const node = stack.use(await startNode(command, process.env as Record<string, string>));
  const metricsUrl = node.addresses.get('metrics')!;
  prometheus = stack.use(await startPrometheus(new URL(metricsUrl).host, ALERTS));
  for (const sql of ['CREATE TABLE t (a INT)', 'INSERT INTO t VALUES (1)', 'SELECT * FROM t', 'SELECT nope'])
    await (await fetch(node.addresses.get('query')!, { method: 'POST', body: sql })).text();
  const scrapedTwice = async () => {
    const { data } = await prometheus.query('count_over_time(tessera_build_info[1m]) >= 2');
    if (data.result.length === 0) throw new Error('Prometheus has not scraped the node twice');
  };
  await vi.waitFor(scrapedTwice, { timeout: 60_000, interval: 50 });
  page = await (await fetch(`${metricsUrl}/metrics`)).text();
});

afterAll(() => stack.disposeAsync());

test('Prometheus answers every expression of the rules and the dashboard', async () => {
  for (const [where, expression] of expressions()) {
    const { status, error, warnings } = await prometheus.query(expression);
    expect({ where, status, error, warnings }).toEqual({ where, status: 'success' });
  }
  expect(await prometheus.ruleErrors()).toEqual(new Map());
});

/** Names of metrics that Prometheus itself defines. */
const OF_PROMETHEUS = ['job', 'instance', 'le'];

test('a node has every metric and label that they name', () => {
  const types = new Map([...page.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
  const labels = labelsOf(page);
  for (const [where, expression] of expressions()) {
    if (expression.startsWith('sum(ALERTS')) continue;
    const known = new Set(OF_PROMETHEUS);
    for (const [, name, selectors = ''] of expression.matchAll(
      /\b((?:tessera|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
    )) {
      if (expression.includes(`job:${name}`)) continue;
      const metric = name!.replace(/_(bucket|count|sum)$/, (end) =>
        types.get(name!.slice(0, -end.length)) === 'histogram' ? '' : end,
      );
      expect(types.has(metric), `${where}: ${metric}`).toBe(true);
      for (const label of labels.get(metric) ?? []) known.add(label);
      if (!labels.has(metric)) continue;
      for (const [, label] of selectors.matchAll(/(\w+)(?:=|!)/g))
        expect([...OF_PROMETHEUS, ...labels.get(metric)!], `${where}: ${metric}`).toContain(label);
    }
    for (const [, by] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of by!.split(', ')) if (known.size > 3) expect([...known], where).toContain(label);
  }
});

/** The label names of each metric with a sample. */
function labelsOf(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name, list = ''] of text.matchAll(/^(\w+?)(?:_bucket|_count|_sum)?(?:\{(.*)\})? \S+$/gm)) {
    const labels = found.get(name!) ?? new Set();
    for (const [, label] of list.matchAll(/(\w+)="/g)) labels.add(label!);
    found.set(name!, labels);
  }
  return found;
}
