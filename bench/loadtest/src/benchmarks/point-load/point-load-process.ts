import { SeededRandom } from '@tessera/common';
import { HttpSession } from '../../load/http-session.ts';
import { PostgresSession } from '../../load/postgres-session.ts';
import { serveLoad } from '../../load/serve-load.ts';
import type { PointLoadParameters } from './parameters.ts';
import { anyPoint, checkPoint, POINTS, pointQuery } from './points.ts';

const LIMIT_MS = 60_000;

serveLoad(({ url, postgresUrl, rows, seed }: PointLoadParameters) => {
  const random = new SeededRandom(seed);
  return [
    {
      name: 'HTTP',
      open: async () => {
        const session = new HttpSession(url, { limitMs: LIMIT_MS });
        return {
          send: async () => {
            const id = anyPoint(random, rows);
            checkPoint(id, await session.query(pointQuery(id)));
          },
          close: () => session.close(),
        };
      },
    },
    {
      name: 'PostgreSQL wire',
      open: async () => {
        const session = await PostgresSession.open(postgresUrl, { limitMs: LIMIT_MS });
        return {
          send: async () => {
            const id = anyPoint(random, rows);
            checkPoint(id, await session.prepared('point', `SELECT * FROM ${POINTS} WHERE id = $1`, [id]));
          },
          close: () => session.close(),
        };
      },
    },
  ];
});
