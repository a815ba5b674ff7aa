import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { metric } from '../cluster/metrics.ts';
import { type Answer, query, rows } from '../http.ts';
import { RawClient, query as simple } from '../postgres-client.ts';
import { SlowClient } from './slow-client.ts';
import { SPREAD, started, untilRecovered } from './slow-queries.ts';

const TEST_MS = 180_000;
const WITHIN_MS = 60_000;
const ROWS = 200_000;
/** Its result takes about 40 MB, more than is under way while the client does not read. */
const ALL = 'SELECT a, c FROM t';
const SOME = `${ALL} WHERE a % 4 = 0`;
/** Its rows are sorted by the nodes and merged while they are sent. */
const SORTED = `SELECT a, nullif(a % 7, 0) AS k, -a AS n, a * 2 AS m, c < 'k' AS s FROM t ORDER BY k DESC NULLS FIRST, a`;
const SPREAD_PARAMETERS = new URLSearchParams(SPREAD).toString();
/** Computes for about a tenth of a millisecond with each row. */
const SLOW =
  'SELECT a, c, list_sum(list_transform(range(0, 500), lambda x: (x * a) % 7))::BIGINT AS s FROM t';

describe('a large result, whose rows are sent while nodes compute others', () => {
  let cluster: EngineCluster;

  beforeAll(async () => {
    cluster = await EngineCluster.start({ nodes: 3, args: ['--postgres-port', '0'] });
    for (const sql of [
      'CREATE TABLE t (a BIGINT, c TEXT)',
      `INSERT INTO t SELECT x, concat(md5(x::text), md5((x + 1)::text), md5((x + 2)::text), md5((x + 3)::text), md5((x + 4)::text), md5((x + 5)::text))
       FROM generate_series(0, ${ROWS - 1}) g(x)`,
    ]) {
      const sizes = { tablet_min_size_bytes: '1000000', tablet_max_size_bytes: '2000000' };
      const answer = await query(cluster.node(0), sql, sizes);
      expect(answer.status, answer.text).toBe(200);
    }
  }, TEST_MS);
  afterEach(() => untilRecovered(cluster, WITHIN_MS), TEST_MS);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const running = (n: number) => metric(cluster.node(n), 'tessera_cluster_running_tasks');

  it(
    'has all rows once, in every format that is streamed',
    async () => {
      const alone = { enable_distributed_execution: 'false' };
      const rowsOf = (answer: Answer) =>
        answer.json().data.sort((a: [string], b: [string]) => Number(a[0]) - Number(b[0]));
      const expected = await started(cluster, 0, SOME, alone);
      const json = await started(cluster, 0, SOME);
      expect(json.status, json.text.slice(0, 1_000)).toBe(200);
      const all = rowsOf(json);
      expect(all).toEqual(rowsOf(expected));
      expect(json.json().statistics.rows_read).toBe(expected.json().statistics.rows_read);

      const csv = await started(cluster, 0, SOME, { output_format: 'CSVWithNames' });
      const [head, ...lines] = csv.text.trimEnd().split('\n');
      expect(head).toBe('"a","c"');
      expect(lines).toHaveLength(all.length);

      const stream = await fetch(`${cluster.node(0).url}/?${SPREAD_PARAMETERS}&output_format=ArrowStream`, {
        method: 'POST',
        body: SOME,
      });
      const counted = `SELECT count(*)::INT, count(DISTINCT a)::INT FROM READ_ARROW('upload://result.arrow')`;
      const read = await rows(cluster.node(0), counted, { 'result.arrow': await stream.blob() });
      expect(read).toEqual([[all.length, all.length]]);

      using client = await RawClient.open(cluster.node(0).postgres);
      for (const [name, value] of Object.entries(SPREAD)) await client.ask(simple(`SET ${name} = ${value}`));
      const lineOf = (line: string) => line.startsWith('D ');
      expect(new Set((await client.ask(simple(SOME))).filter(lineOf)).size).toBe(all.length);
    },
    TEST_MS,
  );

  it(
    'has the rows of both branches of a UNION ALL',
    async () => {
      const union = `SELECT a, c FROM t WHERE a % 8 = 0 UNION ALL SELECT a, upper(c) FROM t WHERE a % 16 = 1`;
      const answers = [
        await started(cluster, 0, union),
        await started(cluster, 0, union, { enable_distributed_execution: 'false' }),
      ];
      const [nodes, alone] = answers.map((answer) =>
        answer
          .json()
          .data.map((row: readonly string[]) => row.join(' '))
          .sort(),
      );
      expect(alone).toHaveLength((ROWS * 3) / 16);
      expect(nodes).toEqual(alone);
    },
    TEST_MS,
  );

  it.each([SORTED, `${SORTED} LIMIT 50000 OFFSET 20000`])(
    'has its order: %s',
    async (sql) => {
      const nodes = await started(cluster, 0, sql);
      const alone = await started(cluster, 0, sql, { enable_distributed_execution: 'false' });
      expect(nodes.status, nodes.text.slice(0, 1_000)).toBe(200);
      expect(nodes.json().rows).toBe(sql === SORTED ? ROWS : 50_000);
      // The whole texts in a message of the test would be of no use.
      expect(JSON.stringify(nodes.json().data) === JSON.stringify(alone.json().data)).toBe(true);
    },
    TEST_MS,
  );

  it(
    'has the first rows in order if not all are asked for',
    async () => {
      expect((await started(cluster, 0, `EXPLAIN ${SORTED}`)).text).toContain('sort key');
      const few = { max_result_rows: '90000' };
      const nodes = await started(cluster, 0, SORTED, few);
      const alone = await started(cluster, 0, SORTED, { ...few, enable_distributed_execution: 'false' });
      expect(nodes.json().data).toHaveLength(90_000);
      expect(JSON.stringify(nodes.json().data) === JSON.stringify(alone.json().data)).toBe(true);
    },
    TEST_MS,
  );

  it(
    'has no more rows than were asked for',
    async () => {
      const answer = await started(cluster, 0, ALL, { max_result_rows: '90000' });
      const { data } = answer.json();
      expect(new Set(data.map(([a]: [string]) => a)).size).toBe(90_000);
    },
    TEST_MS,
  );

  it(
    'begins while tasks run, which stop if the client disconnects',
    async () => {
      using client = await SlowClient.ask(cluster.node(0), SLOW);
      await client.take(1_024);
      const tasks = await Promise.all([0, 1, 2].map(running));
      expect(Math.max(...tasks)).toBeGreaterThan(0);
      client[Symbol.dispose]();
    },
    TEST_MS,
  );

  it.each([ALL, `${ALL} ORDER BY c`])(
    'a worker killed while the client reads: the result ends with an error, or another node computes the rows: %s',
    async (sql) => {
      using client = await SlowClient.ask(cluster.node(0), sql);
      let text = String(await client.take(1_024));
      await cluster.kill(2);
      text += await client.rest();
      const texts = [...text.matchAll(/\["\d+","([0-9a-f]{192})"\]/g)].map(([, c]) => c!);
      if (sql !== ALL) expect(texts.every((c, i) => i === 0 || texts[i - 1]! < c)).toBe(true);
      const isLost = /Node \S+ is lost: /.test(text.slice(-2_000));
      const keys = [...text.matchAll(/\["(\d+)","[0-9a-f]{192}"\]/g)].map(([, a]) => a);
      expect(new Set(keys).size).toBe(keys.length);
      if (isLost) expect(keys.length).toBeLessThan(ROWS);
      else expect(keys, text.slice(-500)).toHaveLength(ROWS);
      const again = await started(cluster, 1, sql);
      expect(again.json().data).toHaveLength(ROWS);
    },
    TEST_MS,
  );
});
