import { expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { query } from '../http.ts';
import { EarlierVersion, previousVersion } from './earlier-version.ts';

const TIMEOUT_MS = 300_000;
const VERSION = previousVersion();
const ON_ALL_NODES = { min_distributed_bytes: '0', whole_table_bytes: '0', output_format: 'JSON_Compact' };
const ROWS = 20_000;

it.skipIf(VERSION === undefined)(
  'nodes of the previous version are replaced one by one, and back (skipped where the checkout has no version from 0.2.0 on)',
  { timeout: TIMEOUT_MS },
  async () => {
    using earlier = new EarlierVersion(VERSION!);
    await using cluster = await EngineCluster.open({ nodes: 2, reusesResults: true, earlierVersion: true });
    const { runBy } = earlier;
    const ask = async (n: number, sql: string): Promise<string> => {
      const answer = await query(cluster.node(n), sql, ON_ALL_NODES);
      expect(answer.status, `node ${n}: ${sql}: ${answer.text}`).toBe(200);
      return answer.text;
    };
    let added = 0;
    /** Every node adds rows, which all nodes see, and answers a join of all rows. */
    const works = async () => {
      for (const n of [0, 1]) {
        await ask(n, `INSERT INTO facts SELECT ${ROWS} + ${++added}, 0`);
        await ask(n, `UPDATE facts SET k = k + 5 WHERE n = ${added}`);
        for (const reader of [0, 1]) {
          const read = 'SELECT count(*)::int, count(DISTINCT a.n)::int, count_if(a.k > 4)::int';
          const from = 'FROM facts a JOIN facts b ON a.n = b.n';
          expect(JSON.parse(await ask(reader, `${read} ${from}`)).data).toEqual([
            [ROWS + added, ROWS + added, added],
          ]);
        }
      }
    };

    await cluster.startNode(0, { runBy });
    await cluster.startNode(1, { runBy });
    await cluster.untilWhole();
    await ask(0, 'CREATE TABLE facts (n BIGINT, k BIGINT) PRIMARY INDEX n');
    for (const from of [1, ROWS / 2 + 1])
      await ask(
        0,
        `INSERT INTO facts SELECT n, n % 5 FROM generate_series(${from}, ${from + ROWS / 2 - 1}) g(n)`,
      );
    await works();
    const replace = async (n: number, by: { readonly runBy?: readonly string[] }) => {
      expect(await cluster.stop(n)).toBe(0);
      await cluster.startNode(n, by);
      await works();
    };
    await replace(1, {});
    await replace(0, {});
    await cluster.untilWhole();
    // Back, as after an upgrade that disappoints.
    await replace(1, { runBy });
    await replace(0, { runBy });
  },
);
