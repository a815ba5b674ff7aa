import { distribute } from '../src/distribution/distribute.ts';
import { planText } from '../src/distribution/plan-text.ts';
import { atScale100, type Suite, tpcCluster, tpcQueries } from '../src/distribution/testing/tpc.ts';
import { readPlan } from '../src/relational/reading/read-plan.ts';

/**
 * Measures planning in milliseconds: the kernel's part, reading its plan, and dividing it into stages. Run
 * with
 * `node packages/planner/bench/plan-distributed.ts`.
 */
const CLUSTER = {
  nodes: 4,
  broadcastLimitBytes: 2 ** 26,
  wholeTableBytes: 2 ** 30,
  nodeMemoryBytes: 2 ** 35,
  gatherLimitRows: 1e6,
};
const ROUNDS = 5;

for (const suite of ['tpch', 'tpcds'] as const satisfies readonly Suite[]) {
  const cluster = await tpcCluster(suite, 1);
  const tables = atScale100(suite, cluster.planFacts({ nodes: 4 }).tables);
  const phases: Record<'kernel' | 'read' | 'distribute' | 'text', number[]> = {
    kernel: [],
    read: [],
    distribute: [],
    text: [],
  };
  for (const { sql } of tpcQueries(suite)) {
    const best = { kernel: Infinity, read: Infinity, distribute: Infinity, text: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      const marks = [performance.now()];
      const serialized = await cluster.serialized(sql);
      marks.push(performance.now());
      const relation = await readPlan(serialized);
      marks.push(performance.now());
      const plan = distribute(relation, { tables, cluster: CLUSTER });
      marks.push(performance.now());
      planText(plan);
      marks.push(performance.now());
      for (const [i, phase] of (['kernel', 'read', 'distribute', 'text'] as const).entries())
        best[phase] = Math.min(best[phase], marks[i + 1]! - marks[i]!);
    }
    for (const phase of ['kernel', 'read', 'distribute', 'text'] as const) phases[phase].push(best[phase]);
  }
  cluster.close();
  const lines = Object.entries(phases).map(([phase, times]) => {
    const sorted = times.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2);
    return `${phase} median ${at(0.5)}, 95% ${at(0.95)}, most ${at(1)}`;
  });
  process.stdout.write(`${suite}: ${lines.join('; ')}\n`);
}
