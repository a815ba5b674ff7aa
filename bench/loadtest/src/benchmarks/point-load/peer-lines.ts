import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@tessera/common';
import type { Workload } from '@tessera/workloads';
import type { Bench } from '../../benchmark.ts';
import { runLoad } from '../../load/load.ts';
import type { LoopResult } from '../../load/loop-result.ts';
import type { Peer } from '../../peers/peer.ts';
import { startPeers } from '../../peers/peers.ts';
import type { Line } from '../../report/report.ts';
import { loadFigures } from './level.ts';
import { anyPoint, checkPoint, POINTS, pointQuery, pointRows } from './points.ts';

const LIMIT_MS = 60_000;

/** The same rows for peers. */
const workload: Workload = {
  name: 'points',
  title: 'Points',
  scaleUnit: 'all rows',
  tables: [
    {
      name: POINTS,
      columns: [
        { name: 'id', type: 'bigint', nullable: false },
        { name: 'customer', type: 'integer', nullable: true },
        { name: 'amount', type: 'double precision', nullable: true },
        { name: 'label', type: 'text', nullable: true },
      ],
      sortKey: ['id'],
    },
  ],
  queries: [],
  generate: () => Promise.reject(new Error('Its file is written by DuckDB')),
};

/** One connection of each peer. */
export async function peerLines(
  { options, duckdb, progress }: Bench,
  rows: number,
  times: { readonly warmUpMs: number; readonly measuredMs: number },
  runs: number,
): Promise<Line[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-points-'));
  const peers = await startPeers(options, progress);
  try {
    const file = join(directory, `${POINTS}.parquet`);
    await duckdb.run(`COPY (${pointRows(rows)}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
    const lines: Line[] = [];
    for (const peer of peers) {
      progress(`${peer.name}: loading`);
      await peer.load(workload, directory, () => undefined);
      const results: LoopResult[] = [];
      for (let run = 0; run < runs; run++) {
        progress(`${peer.name}, run ${run + 1}`);
        const { results: found } = await runLoad([trafficOf(peer, rows, options.seed)], {
          paces: { [peer.name]: { connections: 1 } },
          ...times,
        });
        results.push(found.get(peer.name)!);
      }
      lines.push({ what: `${peer.name}, 1 connection`, figures: loadFigures(results) });
    }
    return lines;
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

function trafficOf(peer: Peer, rows: number, seed: number) {
  const random = new SeededRandom(seed);
  const send = async () => {
    const id = anyPoint(random, rows);
    checkPoint(id, (await peer.run(pointQuery(id), LIMIT_MS)).values);
  };
  return { name: peer.name, open: async () => ({ send, close: async () => undefined }) };
}
