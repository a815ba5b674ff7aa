/**
 * Measures queries that share a CTE with different conditions around it, with and without kept rows of parts.
 *   node packages/coordinator/bench/part-bench.ts [--rows 2000000] [--queries 20]
 */
import { parseArgs } from 'node:util';
import { TestNode } from '../src/testing/test-node.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '2000000' }, queries: { type: 'string', default: '20' } },
});
const user = 'tessera';
const node = await TestNode.open({ subresultCacheBytes: 1 << 26 });
await node.run(
  `CREATE TABLE orders AS SELECT n AS id, n % 10000 AS customer, 'c' || n % 10000 AS name, 'r' || n % 7 AS region, n * 1.25 AS price
   FROM generate_series(1, ${values.rows}) AS g(n)`,
  { user },
);
let salt = 0;
/** The median time in milliseconds. The texts differ, so no result is reused. */
async function median(enabled: boolean): Promise<number> {
  const settings = { enable_subresult_cache: String(enabled) };
  const times: number[] = [];
  for (let i = 0; i < Number(values.queries); i++) {
    salt += 1;
    const started = performance.now();
    await node.rows(
      `WITH totals AS (SELECT name, region, sum(price) AS total, count(*) AS n FROM orders GROUP BY name, region)
       SELECT region, count(*), max(total) FROM totals WHERE n > ${salt % 50} AND total > ${salt} GROUP BY region ORDER BY region`,
      { user, settings },
    );
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1]!;
}
await median(false);
await median(true);
const rounds = [await median(false), await median(true), await median(false), await median(true)];
const [computed, kept] = [rounds[0]! + rounds[2]!, rounds[1]! + rounds[3]!].map((sum) => sum / 2);
process.stdout.write(
  `computed ${computed!.toFixed(1)} ms, from kept rows ${kept!.toFixed(1)} ms, ${(kept! / computed!).toFixed(2)} x\n`,
);
await node[Symbol.asyncDispose]();
// The kernel that plans is shared by all test nodes of a process, and ends with it.
process.exit();
