import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { Connection } from '../http/connection.ts';
import { promotionsDone } from './promotions.ts';

const HOT = 'tessera_storage_agent_hot_tablets';
const LIMIT_MS = 300_000;
const POLL_MS = 100;

/**
 * Makes the node load a whole table into memory, by reading all of it. Point queries alone would load it only
 * gradually, so that a mix of files and memory would be measured.
 * @throws Error if the table is not in memory after minutes
 */
export async function wholeTableInMemory(
  { metricsUrl }: { readonly metricsUrl: string },
  connection: Connection,
  table: string,
): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  const before = await tabletsInMemory(metricsUrl);
  await connection.run(`SELECT count(COLUMNS(*)) FROM ${table}`);
  const tablets = await connection.run(
    `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = '${table}'`,
  );
  const wanted = Number(tablets.text.split('\n')[1]);
  for (;;) {
    await promotionsDone(metricsUrl);
    if ((await tabletsInMemory(metricsUrl)) - before >= wanted) return;
    if (performance.now() > deadline)
      throw new Error(`${table} is not in memory after ${LIMIT_MS / 1_000} s`);
    await pause(POLL_MS);
  }
}

async function tabletsInMemory(metricsUrl: string): Promise<number> {
  const { body } = await request(`${metricsUrl}/metrics`);
  const value = new RegExp(`^${HOT}\\{\\S+\\} (\\S+)$`, 'm').exec(await body.text())?.[1];
  if (value === undefined) throw new Error(`The node has no metric ${HOT}`);
  return Number(value);
}
