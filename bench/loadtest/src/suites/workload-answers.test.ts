import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickbench, tpcds } from '@tessera/workloads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiPeer } from '../peers/api-peer.ts';
import { duckDb } from '../peers/duckdb.ts';
import type { Peer } from '../peers/peer.ts';
import { answerDifference } from './answer-difference.ts';

const ALL = process.env.TESSERA_TPC === 'all';
const LOAD_MS = 300_000;
const QUERY_MS = 60_000;

describe.skipIf(!ALL).each([
  { workload: clickbench, scale: 0.1 },
  { workload: tpcds, scale: 0.1 },
])(
  '$workload.title at $scale on a node and in DuckDB (skipped unless TESSERA_TPC=all)',
  ({ workload, scale }) => {
    let directory: string;
    let ours: Peer;
    let plain: Peer;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tessera-answers-'));
      await workload.generate({ scale, directory });
      ours = await ApiPeer.start();
      plain = await duckDb.start();
      for (const peer of [ours, plain]) await peer.load(workload, directory, () => {});
    }, LOAD_MS);
    afterAll(async () => {
      await Promise.all([ours?.stop(), plain?.stop()]);
      await rm(directory, { recursive: true });
    });

    // This is one test for all queries, because the data directory is unknown while tests are collected.
    it(
      'gives the same answers to all queries',
      async () => {
        const differences: string[] = [];
        for (const { name, sql } of workload.queries) {
          const [found, expected] = await Promise.all([ours.run(sql, QUERY_MS), plain.run(sql, QUERY_MS)]);
          const difference = answerDifference(sql, expected.names ?? found.names ?? [], expected, found);
          if (difference !== undefined) differences.push(`${name}: ${difference}`);
        }
        expect(differences).toEqual([]);
      },
      LOAD_MS,
    );
  },
);
