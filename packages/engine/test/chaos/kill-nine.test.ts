import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SeededRandom } from '@tessera/common';
import { expect, it, onTestFailed } from 'vitest';
import { query } from '../http.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { BANK_TABLES, Bank } from './bank.ts';
import { BATCH_TABLES, Batches } from './batches.ts';
import { attempt, type Place } from './client.ts';
import { Definitions } from './definitions.ts';

/** The promise covers about 200 kills; a few suffice to detect a regression. */
const KILLS = Number(process.env.TESSERA_CHAOS_KILLS ?? 8);
const SEED = Number(process.env.TESSERA_CHAOS_SEED ?? Date.now() % 1_000_000);
const KILL_AFTER_MS = [30, 900] as const;
const SECONDS_PER_KILL = 30;
const TEAR_DOWN_SECONDS = 60;

it(`after ${KILLS} times kill -9 (seed ${SEED}), every commit exists exactly once and completely`, {
  timeout: (KILLS * SECONDS_PER_KILL + TEAR_DOWN_SECONDS) * 1000,
}, async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-chaos-'));
  const random = new SeededRandom(SEED);
  const start = () => startTessera({ dataDirectory });
  let server = await start();
  onTestFailed(() => {
    const { pid, exitCode, signalCode } = server.child;
    const log = server.log.map((record) => JSON.stringify(record)).join('\n');
    process.stderr.write(`process ${pid} at ${server.url} (exit code ${exitCode}, ${signalCode}):\n${log}\n`);
  });
  const place: Place = { url: server.url, stopped: false };
  const problems: string[] = [];
  const bank = new Bank();
  const batches = [new Batches('a'), new Batches('b')];
  const definitions = new Definitions('ddl');
  try {
    for (const sql of [...BANK_TABLES, ...BATCH_TABLES])
      expect((await query(server, sql)).status, sql).toBe(200);
    const loop = async (step: (own: SeededRandom) => Promise<unknown>) => {
      const own = new SeededRandom(random.between(0, 1e9));
      while (!place.stopped) await step(own);
    };
    const clients = [
      loop((own) => bank.transfer(place, 'x', own)),
      loop((own) => bank.transfer(place, 'y', own)),
      ...batches.map((b) => loop((own) => b.step(place, own))),
      loop(async () => problems.push(...(await definitions.step(place)))),
      loop(async (own) => {
        await attempt(place, `VACUUM ${['accounts', 'batches', 'ledger'][own.between(0, 2)]}`);
        await pause(own.between(5, 60));
      }),
      loop(async () => problems.push(...(await bank.audit(place)))),
    ];
    const failed = Promise.all(clients).then(() => undefined);
    for (let kill = 0; kill < KILLS && problems.length === 0; kill++) {
      await Promise.race([pause(random.between(...KILL_AFTER_MS)), failed]);
      await server.stop('SIGKILL');
      server = await start();
      place.url = server.url;
      problems.push(...(await audits(place, bank, batches, definitions)));
    }
    if (problems.length === 0)
      await Promise.race([expect.poll(() => bank.acknowledged.size).toBeGreaterThan(0), failed]);
    place.stopped = true;
    await failed;
    problems.push(...(await audits({ url: server.url, stopped: false }, bank, batches, definitions)));
    expect(problems.slice(0, 20)).toEqual([]);
    await leavesNothing(server);
  } finally {
    place.stopped = true;
    await server.stop('SIGKILL');
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

async function audits(
  place: Place,
  bank: Bank,
  batches: readonly Batches[],
  definitions: Definitions,
): Promise<string[]> {
  const found = [await bank.audit(place), await bank.auditLedger(place), await definitions.audit(place)];
  for (const b of batches) found.push(await b.audit(place));
  return found.flat();
}

/** Checks that the server still stops in an orderly way. */
async function leavesNothing(server: TesseraProcess): Promise<void> {
  expect(await server.stop()).toBe(0);
}
