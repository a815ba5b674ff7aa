import { expect, it } from 'vitest';
import { rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';

it('nodes see each other, and who dies is gone', async () => {
  await using cluster = await EngineCluster.start({ nodes: 3 });
  const names = async (n: number) =>
    (
      await rows(
        cluster.node(n),
        "SELECT node_name FROM information_schema.nodes WHERE status = 'RUNNING' ORDER BY 1",
      )
    ).flat();
  expect(await names(2)).toEqual([0, 1, 2].map((n) => cluster.nameOf(n)));
  await cluster.kill(1);
  await expect.poll(() => names(2), { timeout: 10_000 }).toEqual([0, 2].map((n) => cluster.nameOf(n)));
  await cluster.startNode(1);
  await cluster.untilWhole();
}, 60_000);
