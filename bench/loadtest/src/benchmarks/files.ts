import { newUlid } from '@tessera/common';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const NODES = 4;
const ROUNDS = 3;
const FILES = 64;
/** The number of rows in a file of about 20 MB at full scale. Most of a row is incompressible text. */
const ROWS_PER_FILE = 400_000;
const RATIO_TARGET = { at: 'most', value: 1.2 } as const;
const BALANCE_TARGET = { at: 'most', value: 1.2 } as const;

const QUERY =
  "SELECT g, count(*) AS n, sum(k) AS s, max(v) AS m, max(length(t)) AS l FROM READ_PARQUET('s3://lake/files/*.parquet') GROUP BY g ORDER BY g";

/** Measures the CPU seconds of several nodes that read Parquet files of a bucket together. */
export const files: Benchmark = async ({ scale, options, progress }) => {
  const nodes = Math.max(...(options.nodes ?? [NODES]));
  const rounds = options.runs ?? ROUNDS;
  const rowsPerFile = Math.ceil(ROWS_PER_FILE * scale);
  const store = await DevStore.start();
  let cluster: OwnCluster | undefined;
  try {
    cluster = await OwnCluster.start({
      store,
      instanceId: newUlid(),
      nodes,
      execution: { max_threads: 1 },
      storage: { bucket_name: 'lake', default_s3_endpoint_override: store.endpoint },
      args: ['--allow-url', 's3://lake/files', '--allow-write', 's3://lake/files'],
    });
    const connection = new Connection(cluster.url);
    for (let file = 0; file < FILES; file++) {
      progress(`files: writing file ${file + 1} of ${FILES}`);
      await connection.run(
        `COPY (SELECT x % 100 AS g, x AS k, x / 7.0 AS v, md5(x::text) AS t FROM generate_series(${file * rowsPerFile + 1}, ${(file + 1) * rowsPerFile}) AS g(x)) TO 's3://lake/files/${file}.parquet'`,
      );
    }
    await connection.close();
    const one: number[] = [];
    const all: number[] = [];
    const balance: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      progress(`files: round ${round} of ${rounds}`);
      const alone = await workOf(cluster, 1);
      const together = await workOf(cluster, nodes);
      if (alone.text !== together.text) throw new Error('One node and several give different rows');
      if (round === 0) continue;
      one.push(total(alone.work));
      all.push(total(together.work));
      balance.push((Math.max(...together.work) * nodes) / total(together.work));
    }
    const line: Line = {
      what: `${FILES} files of ${rowsPerFile} rows`,
      figures: {
        'one node': figure('s', one),
        [`${nodes} nodes`]: figure('s', all),
        [`${nodes} ÷ one`]: figure(
          '×',
          all.map((seconds, i) => seconds / one[i]!),
          RATIO_TARGET,
        ),
        balance: figure('×', balance, BALANCE_TARGET),
      },
    };
    return {
      benchmark: 'files',
      title: 'Parquet files of a bucket',
      method: `${FILES} Parquet files in an object store of S3's protocol, aggregated into 100 groups over all columns; ${nodes} nodes of one thread each, all on this machine. CPU seconds of all processes of the nodes, without those of the store; ${rounds} rounds after one to warm up. *One node* has \`nodes_per_query = 1\` and downloads all files, the other has \`nodes_per_query = ${nodes}\`. *Balance*: the CPU time of the busiest node over their mean.`,
      lines: [line],
    };
  } finally {
    await cluster?.stop();
    await store.stop();
  }
};

/** The CPU seconds of one run by node, and the rows. */
async function workOf(cluster: OwnCluster, nodes: number) {
  const connection = new Connection(cluster.url);
  const before = cluster.cpuSeconds();
  const { text } = await connection.run(`${QUERY} WITH (nodes_per_query = ${nodes})`);
  const work = cluster.cpuSeconds().map((seconds, node) => seconds - before[node]!);
  await connection.close();
  return { work, text };
}

const total = (work: readonly number[]): number => work.reduce((sum, seconds) => sum + seconds, 0);
