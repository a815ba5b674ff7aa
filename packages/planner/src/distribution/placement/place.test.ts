import { afterAll, beforeAll, expect, test } from 'vitest';
import { planText } from '../plan-text.ts';
import { differenceOf } from '../testing/same-rows.ts';
import { SimulatedCluster, type SimulatedOptions } from '../testing/simulated-cluster.ts';

/** Nothing is broadcast, read whole or gathered because it is small. */
const OPTIONS: SimulatedOptions = {
  nodes: 3,
  broadcastLimitBytes: 0,
  wholeTableBytes: 0,
  gatherLimitRows: 10,
  refines: false,
};
let cluster: SimulatedCluster;
let large: SimulatedOptions['tables'] & {};

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const [name, rows] of [
    ['a', 300],
    ['b', 90],
  ] as const)
    await cluster.run(`CREATE TABLE managed.${name} AS SELECT
      i::INTEGER AS id, (hash(i + ${rows}) % 40)::INTEGER AS k, (hash(i + 2) % 20)::INTEGER AS v FROM range(${rows}) t(i)`);
  await cluster.run('CREATE TABLE managed.few AS SELECT i::INTEGER AS n FROM range(3) t(i)');
  await cluster.shard(3, (table) => table === 'few');
  const distinct = new Map(['id', 'k', 'v'].map((name) => [name, name === 'v' ? 20 : 1e8]));
  large = new Map(
    [...cluster.planFacts(OPTIONS).tables].map(([name, facts]) => [
      name,
      name === 'few' ? facts : { ...facts, rows: 1e9, bytes: 1e10, distinct },
    ]),
  );
});
afterAll(() => cluster.close());

interface Rule {
  /** The file of the rule. */
  readonly file: string;
  /** What would be wrong if each task ran the statement on its own rows. */
  readonly otherwise: string;
  readonly sql: string;
  /** The stages after the rule; the last one is the root. Each has a number, a partitioning, hash keys, and its operators. */
  readonly stages: string;
}

const RULES: readonly Rule[] = [
  {
    file: 'place-leaf.ts',
    otherwise: 'a table that every task reads whole would appear in a UNION ALL once for each task',
    sql: 'SELECT k FROM a UNION ALL SELECT n FROM few',
    stages: `
      0 source
        scan a (k)
      1 single
        scan few (n) replicated
      2 coordinator
        union all
          input stage 0
          input stage 1`,
  },
  {
    file: 'place-row-wise.ts',
    otherwise: 'each task would draw a random number of its own, where the statement draws one',
    sql: 'SELECT count(DISTINCT r) AS n FROM a, (SELECT random() AS r FROM few WHERE n = 0)',
    stages: `
      0 single
        project random()
          filter n = 0
            scan few (n) replicated
      1 source, hash by r
        aggregate by r
          inner join of all pairs
            scan a ()
            input stage 0
      2 coordinator
        aggregate count(r)
          aggregate by r
            input stage 1`,
  },
  {
    file: 'place-join.ts',
    otherwise: 'matching rows of the two tables would be in different tasks and never meet',
    sql: 'SELECT a.id, b.id FROM a JOIN b ON a.k = b.k',
    stages: `
      1 source, hash by k
        filter k IS NOT NULL
          scan a (k, id)
      0 source, hash by k
        filter k IS NOT NULL
          scan b (k, id)
      2 hash
        inner join on k = k
          input stage 1 hash
          input stage 0 hash
      3 coordinator
        input stage 2`,
  },
  {
    file: 'place-join.ts',
    otherwise: 'rows with a NULL key, which must be kept on both sides, would be dropped',
    sql: 'SELECT a.id, b.id FROM a FULL JOIN b ON a.k = b.k',
    stages: `
      1 source, hash by k
        scan a (k, id)
      0 source, hash by k
        scan b (k, id)
      2 hash
        full join on k = k
          input stage 1 hash
          input stage 0 hash
      3 coordinator
        input stage 2`,
  },
  {
    file: 'place-aggregate.ts',
    otherwise: 'each task would return a row for each group; averages of averages would also be wrong',
    sql: 'SELECT v, avg(k) AS m FROM a GROUP BY v',
    stages: `
      0 source, hash by v
        partial aggregate sum(k), count(k) by v
          scan a (v, k)
      1 hash, hash by v
        project v, average(CAST(sum AS HUGEINT), sum)
          aggregate sum(sum), sum(count) by v
            input stage 0 hash
      2 coordinator
        input stage 1`,
  },
  {
    file: 'place-aggregate.ts',
    otherwise: 'each task would return the median of its own rows; medians cannot be combined',
    sql: 'SELECT k, median(v) AS m FROM a GROUP BY k',
    stages: `
      0 source, hash by k
        scan a (k, v)
      1 hash, hash by k
        aggregate median(v) by k
          input stage 0 hash
      2 coordinator
        input stage 1`,
  },
  {
    file: 'place-aggregate.ts',
    otherwise:
      'each task would compare with the average of its own rows; a stage for the one value is not needed',
    sql: 'SELECT id FROM a WHERE k > (SELECT avg(k) FROM b)',
    stages: `
      0 source
        partial aggregate sum(k), count(k)
          scan b (k)
      1 source
        inner join on CAST(k AS DOUBLE) > first(avg(k))
          scan a (k, id)
          project first(avg(k)) (an error if there are several rows)
            aggregate first(avg(k)), count(*)
              project average(CAST(sum AS HUGEINT), sum)
                aggregate sum(sum), sum(count)
                  input stage 0
      2 coordinator
        input stage 1`,
  },
  {
    file: 'place-aggregate.ts',
    otherwise: 'tasks would add up the same sums in different orders, and compare with different averages',
    sql: 'SELECT id FROM a WHERE k > (SELECT avg(k::DOUBLE) FROM b)',
    stages: `
      0 source
        partial aggregate sum(CAST(k AS DOUBLE)), count(CAST(k AS DOUBLE))
          scan b (k)
      1 single
        project first(avg(CAST(k AS DOUBLE))) (an error if there are several rows)
          aggregate first(avg(CAST(k AS DOUBLE))), count(*)
            project (sum / CAST(sum AS DOUBLE))
              aggregate sum(sum), sum(count)
                input stage 0
      2 source
        inner join on CAST(k AS DOUBLE) > first(avg(CAST(k AS DOUBLE)))
          scan a (k, id)
          input stage 1
      3 coordinator
        input stage 2`,
  },
  {
    file: 'one-row-stages.ts',
    otherwise: 'each of the values would need a task on every node',
    sql: `SELECT (SELECT count(*) FROM a WHERE v > 3) AS n, (SELECT max(k) FROM b) AS m,
      (SELECT count(*) FROM a WHERE id < (SELECT avg(id) FROM b)) AS o`,
    stages: `
      5 source
        inner join of all pairs
          inner join of all pairs
            partial aggregate count(*)
              filter v > 3
                scan a (v)
            partial aggregate max(k)
              scan b (k)
          partial aggregate sum(id), count(id)
            scan b (id)
      3 source
        partial aggregate count(*)
          inner join on CAST(id AS DOUBLE) < first(avg(id))
            scan a (id)
            project first(avg(id)) (an error if there are several rows)
              aggregate first(avg(id)), count(*)
                project average(CAST(sum AS HUGEINT), sum)
                  aggregate sum(sum), sum(count)
                    input stage 5
      4 coordinator
        inner join of all pairs
          project first(count(*)) (an error if there are several rows)
            aggregate first(count(*)), count(*)
              project CAST(coalesce(sum, 0) AS BIGINT)
                aggregate sum(count(*))
                  input stage 5
          inner join of all pairs
            project first(max(k)) (an error if there are several rows)
              aggregate first(max(k)), count(*)
                aggregate max(max(k))
                  input stage 5
            project first(count(*)) (an error if there are several rows)
              aggregate first(count(*)), count(*)
                project CAST(coalesce(sum, 0) AS BIGINT)
                  aggregate sum(count(*))
                    input stage 3`,
  },
  {
    file: 'place-distinct.ts',
    otherwise: 'rows that several tasks have would stay',
    sql: 'SELECT DISTINCT k, v FROM a',
    stages: `
      0 source, hash by k, v
        scan a (k, v)
      1 hash, hash by k, v
        aggregate by k, v
          input stage 0 hash
      2 coordinator
        input stage 1`,
  },
  {
    file: 'place-distinct.ts',
    otherwise: 'each task would return a first row for each key',
    sql: 'SELECT DISTINCT ON (k) k, id FROM a ORDER BY k, id',
    stages: `
      0 source, hash by k
        distinct on k
          scan a (k, id)
      1 hash
        sort by k, id
          project k, id, sort key
            distinct on k
              input stage 0 hash
      2 coordinator
        sort by k, id
          input stage 1`,
  },
  {
    file: 'place-window.ts',
    otherwise: 'each task would number its rows of a partition from 1',
    sql: 'SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM a',
    stages: `
      0 source, hash by k
        scan a (id, k)
      1 hash
        window row_number() over (by k order id)
          input stage 0 hash
      2 coordinator
        input stage 1`,
  },
  {
    file: 'place-sort.ts',
    otherwise: 'the rows of each task would be in order, but not the result',
    sql: 'SELECT id, v FROM a ORDER BY id',
    stages: `
      0 source
        sort by id
          project id, v, sort key
            scan a (id, v)
      1 coordinator
        sort by id
          input stage 0`,
  },
  {
    file: 'place-limit.ts',
    otherwise: 'each task would skip two rows and return three',
    sql: 'SELECT id FROM a ORDER BY id LIMIT 3 OFFSET 2',
    stages: `
      0 source
        limit 5
          sort by id
            scan a (id)
      1 coordinator
        limit 3 offset 2
          sort by id
            input stage 0`,
  },
  {
    file: 'place-sample.ts',
    otherwise: 'each task would return ten rows',
    sql: 'SELECT count(*) AS n FROM (SELECT * FROM a USING SAMPLE 10 ROWS)',
    stages: `
      0 source
        project true
          scan a ()
      1 coordinator
        aggregate count(*)
          sample reservoir(10 ROWS)
            input stage 0`,
  },
  {
    file: 'place-set.ts',
    otherwise: 'equal rows of the two tables would be in different tasks, and EXCEPT would keep them',
    sql: 'SELECT k, v FROM a EXCEPT ALL SELECT k, v FROM b',
    stages: `
      0 source, hash by k, v
        scan a (k, v)
      1 source, hash by k, v
        scan b (k, v)
      2 hash, hash by k, v
        except all
          input stage 0 hash
          input stage 1 hash
      3 coordinator
        input stage 2`,
  },
  {
    file: 'place-shared.ts',
    otherwise: 'each reader would compute the CTE itself and see other random numbers',
    sql: 'WITH c AS MATERIALIZED (SELECT k, random() AS r FROM a) SELECT count(*) AS n FROM c x JOIN c y ON x.r = y.r',
    stages: `
      0 source, hash by r
        project random()
          scan a ()
      1 hash
        partial aggregate count(*)
          inner join on r = r
            input stage 0 hash
            input stage 0 hash
      2 coordinator
        project CAST(coalesce(sum, 0) AS BIGINT)
          aggregate sum(count(*))
            input stage 1`,
  },
  {
    file: 'place-single.ts',
    otherwise: 'each task would run the recursion from its own smallest id',
    sql: 'WITH RECURSIVE t(n) AS (SELECT min(id) FROM a UNION ALL SELECT n + 1 FROM t WHERE n < 4) SELECT n FROM t',
    stages: `
      0 source
        partial aggregate min(id)
          scan a (id)
      1 coordinator
        recursive
          aggregate min(min(id))
            input stage 0
          project (n + 1)
            filter n < 4
              reference`,
  },
];

/** These tests show the stages that each placement rule makes of a statement, and compare the rows with those of one node. */
test.each(RULES)('$file: otherwise $otherwise', async ({ sql, stages }) => {
  const options = { ...OPTIONS, tables: large };
  const plan = await cluster.plan(sql, options);
  expect(stagesOf(planText(plan))).toEqual(lines(stages));
  expect(differenceOf(await cluster.plain(sql), await cluster.execute(plan, options))).toBeUndefined();
});

const lines = (text: string): readonly string[] => {
  const all = text.split('\n').slice(1);
  const indent = /^ */.exec(all[0] ?? '')![0].length;
  return all.map((line) => line.slice(indent));
};

/** The stages of the text of a plan, without estimates and what they read. */
const stagesOf = (text: string): readonly string[] =>
  text.split('\n\n').flatMap((part) => {
    const [head = '', ...rest] = part.split('\n');
    const found = /stage (\d+); (\w+)(?:; (hash by [\w, ]+))?;/.exec(head);
    if (found === null) return [];
    const [, id, partitioning, keys] = found;
    const tree = rest
      .filter((line) => line.startsWith('    '))
      .map((line) => line.slice(2).replace(/ \((?:hash|broadcast|replicated) .*\)$/, ''));
    return [`${id} ${partitioning}${keys === undefined ? '' : `, ${keys}`}`, ...tree];
  });
