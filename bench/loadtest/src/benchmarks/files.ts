import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { upload } from '../http/upload.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const NODES = 4;
const ROUNDS = 3;
/** Rounds before the first one that counts: by then, V8 has compiled the code of requests in each of the processes. */
const WARM_UP_ROUNDS = 6;
const FILES = 64;
/** The number of rows in a file of about 20 MB at full scale. Most of a row is incompressible text. */
const ROWS_PER_FILE = 1_000_000;
/** The number of rows in an uploaded CSV file of about 1 GB at full scale. */
const UPLOADED_ROWS = 17_000_000;
/** The lines of CSV that are written to the file at once. */
const WRITTEN_ROWS = 100_000;
/** A round takes long, and what it costs does not depend on the code that only runs once a request. */
const UPLOAD_WARM_UP_ROUNDS = 1;
const RATIO_TARGET = { at: 'most', value: 1.2 } as const;
const BALANCE_TARGET = { at: 'most', value: 1.2 } as const;

const BUCKET_QUERY =
  "SELECT g, count(*) AS n, sum(k) AS s, max(v) AS m, max(length(t)) AS l FROM READ_PARQUET('s3://lake/files/*.parquet') GROUP BY g ORDER BY g";
/** A query that spends much more time on a row than reading it takes. */
const UPLOAD_QUERY =
  "SELECT g, count(*) AS n, sum(k) AS s, max(md5(sha256(md5(t)))) AS m FROM READ_CSV('upload://data', HEADER => true, INFER_SCHEMA => true) GROUP BY g ORDER BY g";

/** Measures the CPU seconds of several nodes that read Parquet files of a bucket, and an upload, together. */
export const files: Benchmark = async ({ scale, options, progress }) => {
  const nodes = Math.max(...(options.nodes ?? [NODES]));
  const rounds = options.runs ?? ROUNDS;
  const rowsPerFile = Math.ceil(ROWS_PER_FILE * scale);
  const uploadedRows = Math.ceil(UPLOADED_ROWS * scale);
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-files-'));
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
    const { url } = cluster;
    const connection = new Connection(url);
    for (let file = 0; file < FILES; file++) {
      progress(`files: writing file ${file + 1} of ${FILES}`);
      await connection.run(
        `COPY (SELECT x % 100 AS g, x AS k, x / 7.0 AS v, md5(x::text) AS t FROM generate_series(${file * rowsPerFile + 1}, ${(file + 1) * rowsPerFile}) AS g(x)) TO 's3://lake/files/${file}.parquet'`,
      );
    }
    const bucketQuery = async (settings: string) =>
      (await connection.run(`${BUCKET_QUERY} WITH (${settings})`)).text;
    const lines = [
      await compared(`${FILES} files of ${rowsPerFile} rows`, cluster, {
        warmUps: WARM_UP_ROUNDS,
        rounds,
        query: bucketQuery,
        progress,
      }),
    ];
    await connection.close();
    progress('files: writing the file to upload');
    const path = join(directory, 'upload.csv');
    await writeCsv(path, uploadedRows);
    const uploadQuery = async (settings: string) =>
      (await upload(url, `${UPLOAD_QUERY} WITH (${settings})`, { path })).text;
    lines.push(
      await compared(`an upload of ${uploadedRows} rows`, cluster, {
        warmUps: UPLOAD_WARM_UP_ROUNDS,
        rounds,
        query: uploadQuery,
        progress,
      }),
    );
    return {
      benchmark: 'files',
      title: 'Files read by several nodes',
      method: `${FILES} Parquet files in an object store of S3's protocol, aggregated into 100 groups over all columns, and a CSV file that is uploaded with a query which computes three hashes of a text for each row; ${nodes} nodes of one thread each, all on this machine. CPU seconds of all processes of the nodes, without those of the store; ${rounds} rounds after ${WARM_UP_ROUNDS} (files) and ${UPLOAD_WARM_UP_ROUNDS} (upload) to warm up. *One node* has \`nodes_per_query = 1\` and reads everything itself, the other has \`nodes_per_query = ${nodes}\`. *Balance*: the CPU time of the busiest node over their mean.`,
      lines,
    };
  } finally {
    await cluster?.stop();
    await store.stop();
    await rm(directory, { recursive: true, force: true });
  }
};

interface Rounds {
  readonly warmUps: number;
  readonly rounds: number;
  readonly query: (settings: string) => Promise<string>;
  readonly progress: (doing: string) => void;
}

/** Runs a query on one node and on all nodes in turns. */
async function compared(
  what: string,
  cluster: OwnCluster,
  { warmUps, rounds, query, progress }: Rounds,
): Promise<Line> {
  const nodes = cluster.nodes.length;
  const workOf = async (count: number) => {
    const before = cluster.cpuSeconds();
    const text = await query(`nodes_per_query = ${count}`);
    return { text, work: cluster.cpuSeconds().map((seconds, node) => seconds - before[node]!) };
  };
  const one: number[] = [];
  const all: number[] = [];
  const balance: number[] = [];
  for (let round = 1 - warmUps; round <= rounds; round++) {
    progress(`files: ${what}, ${round < 1 ? 'warming up' : `round ${round} of ${rounds}`}`);
    const alone = await workOf(1);
    const together = await workOf(nodes);
    if (alone.text !== together.text) throw new Error(`${what}: one node and several give different rows`);
    if (round < 1) continue;
    one.push(total(alone.work));
    all.push(total(together.work));
    balance.push((Math.max(...together.work) * nodes) / total(together.work));
  }
  return {
    what,
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
}

async function writeCsv(path: string, rows: number): Promise<void> {
  await using file = await open(path, 'w');
  await file.write('g,k,t\n');
  for (let first = 0; first < rows; first += WRITTEN_ROWS) {
    const count = Math.min(WRITTEN_ROWS, rows - first);
    await file.write(Array.from({ length: count }, (_, i) => csvLine(first + i)).join(''));
  }
}

const csvLine = (row: number): string =>
  `${row % 100},${row},${(row * 2654435761).toString(36)} ${'-'.repeat(30)}\n`;

const total = (work: readonly number[]): number => work.reduce((sum, seconds) => sum + seconds, 0);
