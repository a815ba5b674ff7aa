import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster, placeOf } from '../cluster/engine-cluster.ts';
import { type SharedStore, startSharedStore } from '../cluster/shared-store.ts';
import { until } from '../cluster/until.ts';
import { type Answer, rows } from '../http.ts';
import { itTakesLong } from './all-faults.ts';
import { Link } from './link.ts';
import { canMakeNetworks, NetworkNamespace } from './network-namespace.ts';
import {
  loadSpreadTables,
  ROWS,
  slowJoin,
  slowScan,
  started,
  untilBusy,
  untilIdle,
  untilStagesFinished,
} from './slow-queries.ts';

const TEST_MS = 180_000;
const WITHIN_MS = 60_000;
/** The node at the other end of the cable. */
const FAR = 2;

/** These tests cover row 9 of the fault table between nodes: packets are lost while connections stay open. */
describe.skipIf(!canMakeNetworks)(
  canMakeNetworks
    ? 'a node that the network does not reach'
    : 'a node that the network does not reach: skipped, this user may not make networks',
  () => {
    let network: NetworkNamespace;
    let store: SharedStore;
    let bucket: Link;
    let cluster: EngineCluster;

    beforeAll(async () => {
      network = new NetworkNamespace();
      store = await startSharedStore();
      // The store listens on loopback, which the far node cannot reach.
      bucket = new Link();
      const { hostname: host, port } = new URL(store.endpoint);
      bucket.target = { host, port: Number(port) };
      const endpoint = `http://${network.near}:${await bucket.start(network.near)}`;
      const near = await Promise.all([placeOf(network.near), placeOf(network.near)]);
      const places = [...near, { ...near[0]!, host: network.far }];
      cluster = await EngineCluster.open({ nodes: 3, places, store: { ...store, endpoint } });
      await Promise.all([
        cluster.startNode(0),
        cluster.startNode(1),
        cluster.startNode(FAR, { runBy: network.runBy, args: ['--listen-host', network.far] }),
      ]);
      await cluster.untilWhole();
      await loadSpreadTables(cluster);
    }, TEST_MS);
    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
      await bucket?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
      network?.[Symbol.dispose]();
    });

    const dataOf = (answer: Answer): unknown[][] => {
      expect(answer.status, `${answer.text}\n${cluster.logs()}`).toBe(200);
      return answer.json().data;
    };
    const right = async (sql: string) =>
      dataOf(await started(cluster, 0, sql, { enable_distributed_execution: 'false' }));
    const untilMissed = () =>
      until('the far node is missed', WITHIN_MS, async () => {
        const status = `SELECT status FROM information_schema.nodes WHERE host = '${network.far}'`;
        return (await rows(cluster.node(0), status))[0]![0] !== 'RUNNING';
      });

    /** Cuts the node off while a query is in the state that `under` waits for, and reconnects it. */
    async function cutOff(sql: string, under: () => Promise<void>): Promise<void> {
      const expected = await right(sql);
      const answer = started(cluster, 0, sql);
      await under();
      network.cut();
      try {
        expect(dataOf(await answer)).toEqual(expected);
        await untilMissed();
        expect(await rows(cluster.node(1), 'SELECT count(*)::int FROM t')).toEqual([[ROWS]]);
      } finally {
        network.heal();
      }
      await cluster.untilWhole();
      await untilIdle(cluster, FAR, WITHIN_MS);
      const counted = 'SELECT count(*)::int, count(DISTINCT c)::int FROM u';
      for (const n of [0, 1, FAR]) {
        expect(dataOf(await started(cluster, n, counted))).toEqual([[ROWS, ROWS]]);
      }
    }

    it(
      'is disconnected while its tasks run: the others answer, and everything works again when it is back',
      () => cutOff(slowScan(31), () => untilBusy(cluster, FAR)),
      TEST_MS,
    );

    itTakesLong(
      'is cut off when it has finished a stage: the others answer, and when it is back all is as before',
      () => cutOff(slowJoin(32), () => untilStagesFinished(cluster, 0, 2)),
      TEST_MS,
    );
  },
);
