import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type MetricDefinition, NodeMetrics } from '../packages/engine/src/index.ts';

/** The sections of the page, in order. A metric belongs to the first section whose pattern matches its name. */
const SECTIONS: readonly (readonly [title: string, names: RegExp])[] = [
  ['The node', /^tessera_(build|ready|draining|open_connections|certificate|authentications|disk)/],
  ['Queries', /^tessera_(?!kernel|storage_agent|object_store|vacuum|metadata|garbage|cluster|rpc)/],
  ['Kernel processes', /^tessera_kernel/],
  ['Tablets and the object store', /^tessera_(storage_agent|object_store|vacuum)/],
  ['Metadata log and garbage', /^tessera_(metadata|garbage)/],
  ['Other nodes', /^tessera_(cluster|rpc)/],
  ['The node process', /./],
];

/** Writes docs/metrics.md from the metrics of a node. With `--check` it only reports whether the page is stale. */
const path = join(dirname(import.meta.dirname), 'docs', 'metrics.md');
const page = metricsPage(definitions());

if (!process.argv.includes('--check')) writeFileSync(path, page);
else if (current() !== page) {
  process.stdout.write('docs/metrics.md is stale: run node scripts/generate-metrics-docs.ts\n');
  process.exitCode = 1;
}

function current(): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function definitions(): readonly MetricDefinition[] {
  const metrics = new NodeMetrics('');
  // The values are never read, so the sources may be empty.
  metrics.observe({ kernels: {} } as Parameters<NodeMetrics['observe']>[0]);
  metrics.close();
  return metrics.definitions;
}

function metricsPage(all: readonly MetricDefinition[]): string {
  const bySection = Map.groupBy(all, ({ name }) => SECTIONS.find(([, names]) => names.test(name))![0]);
  return [
    '<!-- Written by scripts/generate-metrics-docs.ts; edit packages/engine/src/metrics. -->',
    '# Metrics',
    '',
    "Every node serves its metrics at `GET /metrics` (`--metrics-port`, 9090) in Prometheus' text format. Each node reports only its",
    'own values; use Prometheus to sum over nodes. Counters start at 0 when the process starts. For normal values, the alerts and',
    'what to do about them, see [operations.md](operations.md); for rules and a dashboard, see',
    '[deploy/monitoring](../deploy/monitoring/README.md).',
    '',
    ...SECTIONS.flatMap(([title]) => [`## ${title}`, '', ...table(bySection.get(title) ?? []), '']),
  ].join('\n');
}

function table(metrics: readonly MetricDefinition[]): string[] {
  const rows = metrics.map(({ name, type, labelNames = [], help }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${labels} | ${help.replaceAll('|', '\\|')} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows];
}
