import { createLogging } from '@tessera/common';
import { startRpcServer } from '@tessera/rpc';
import { expect, it, onTestFinished } from 'vitest';
import { broadcastService } from './broadcast-service.ts';
import { clusterFactsService } from './cluster-facts.ts';
import { openOtherClusters } from './other-clusters.ts';

const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger(
  'broadcast',
);
const credentials = { clusterToken: undefined };

/** Returns the rows that a cluster receives of ten rows of another one; each has its `broadcast_tuple_limit_per_engine_cluster`. */
async function received(limits: { readonly asking: number; readonly answering: number }) {
  const connecting = broadcastService({ connected: 'clusters', credentials, log });
  onTestFinished(() => connecting.close());
  const answers = {
    rowsOf: async () => Array.from({ length: 10 }, (_, n) => ({ n })),
    cancelQuery: async () => false,
  };
  const services = [connecting, clusterFactsService(answers, limits.answering)];
  const server = await startRpcServer({ host: '127.0.0.1', port: 0, services, ...credentials, log });
  onTestFinished(() => server.close(0));
  const endpoint = `127.0.0.1:${server.port}`;
  const clusterAt = (id: string, ordinal: number, address: string) => {
    const clusters = openOtherClusters({
      cluster: { engine: 'instance/engine', id, ordinal },
      services: [{ connected: 'clusters', name: 'broadcast service', endpoint, credentials }],
      node: () => ({ address, kernelVersion: '1', isDraining: false, clusterNodes: [address] }),
      rowLimit: limits.asking,
      log,
    });
    onTestFinished(() => clusters.close());
    return clusters;
  };
  const [asking, answering] = [clusterAt('a', 0, '127.0.0.1:1'), clusterAt('b', 1, endpoint)];
  await Promise.all([asking.announced, answering.announced]);
  const { rows, warnings } = await asking.rowsOf('nodes');
  return { rows: rows.map(({ row }) => row.n), warnings: warnings.length };
}

it.each([
  [0, 0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0],
  [3, 0, [7, 8, 9], 1],
  [0, 4, [6, 7, 8, 9], 1],
  [3, 4, [7, 8, 9], 1],
  [4, 3, [7, 8, 9], 1],
  [10, 11, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0],
])(
  'a cluster with the limit %i gets the latest rows of one with the limit %i, and a warning if there are more',
  async (asking, answering, rows, warnings) => {
    expect(await received({ asking, answering })).toEqual({ rows, warnings });
  },
);
