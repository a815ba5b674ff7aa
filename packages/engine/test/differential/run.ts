/**
 * Runs random queries on a cluster and on plain DuckDB over the same tables, and reports every difference in
 * reduced form.
 *   node packages/engine/test/differential/run.ts [--n 20000] [--seed S] [--nodes 3] [--per-tables 50]
 *   [--only ID] [--again]
 *     [--out mismatches.jsonl]
 * A seed reproduces the same tables, queries and settings; the ID of a difference runs only that query.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { metric } from '../cluster/metrics.ts';
import { runDifferential } from './differential-run.ts';

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    nodes: { type: 'string', default: '3' },
    'per-tables': { type: 'string', default: '50' },
    only: { type: 'string' },
    again: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

process.stdout.write(`seed ${values.seed}\n`);
const started = performance.now();
await using cluster = await EngineCluster.start({ nodes: Number(values.nodes), reusesResults: values.again });
const tally = await runDifferential({
  cluster,
  seed: values.seed,
  queries: Number(values.n),
  queriesPerTables: Number(values['per-tables']),
  only: values.only,
  again: values.again,
  onMismatch: (mismatch) => {
    if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(mismatch)}\n`);
    const { id, why, sql, settings, isRightOnOneNode } = mismatch;
    const where = isRightOnOneNode ? 'right on one node' : 'also on one node';
    process.stdout.write(
      `\n${id} (${where}) ${JSON.stringify(settings)}\n  ${why.slice(0, 600)}\n  ${sql}\n`,
    );
    const incident = /incident ([0-9a-f-]+)/.exec(why)?.[1];
    const records = cluster.logs('warn').split('\n');
    if (incident !== undefined)
      process.stdout.write(`${records.filter((record) => record.includes(incident)).join('\n')}\n`);
  },
  onProgress: (now) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    process.stdout.write(`${seconds} s ${JSON.stringify(now)}\n`);
  },
});
const hits = await Promise.all(
  cluster.places.map((_, n) => metric(cluster.node(n), 'tessera_subresult_cache_hits_total')),
);
process.stdout.write(`parts read from kept rows: ${hits.reduce((sum, count) => sum + count, 0)}\n`);
process.exitCode = tally.mismatches === 0 ? 0 : 1;
