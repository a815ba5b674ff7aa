import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';

const METRIC = 'tessera_storage_agent_promotions_pending';
const POLL_MS = 100;
const LIMIT_MS = 300_000;

/** Resolves when the node has finished loading tables into memory. @throws if that takes minutes */
export async function promotionsDone(metricsUrl: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline) {
    const { body } = await request(`${metricsUrl}/metrics`);
    const value = new RegExp(`^${METRIC}\\{\\S+\\} (\\S+)$`, 'm').exec(await body.text())?.[1];
    if (value === undefined) throw new Error(`The node has no metric ${METRIC}`);
    if (value === '0') return;
    await pause(POLL_MS);
  }
  throw new Error(`Tablets were still being loaded into memory after ${LIMIT_MS / 1000} s`);
}
