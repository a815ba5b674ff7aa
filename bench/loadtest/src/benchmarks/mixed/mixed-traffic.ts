import { SeededRandom } from '@tessera/common';
import { type Traffic, WrongAnswer } from '../../load/session.ts';
import { Batches } from './batches.ts';
import { BATCH_ROWS, batchRows, type MixedParameters } from './parameters.ts';

/** The destination of statements. */
export interface Statements {
  query(sql: string): Promise<unknown[][]>;
  close(): Promise<void>;
}

/** Writers and readers of one table; every answer is compared with what the writers know. */
export function mixedTraffic(
  { table, seed, batches: before }: MixedParameters,
  open: () => Promise<Statements>,
): readonly Traffic[] {
  const batches = new Batches(before, seed);
  const random = new SeededRandom(seed + 1);
  const traffic = (name: string, send: (session: Statements) => Promise<void>): Traffic => ({
    name,
    open: async () => {
      const session = await open();
      return { send: () => send(session), close: () => session.close() };
    },
  });
  return [
    traffic('INSERT', async (session) => {
      const batch = batches.insertBegins();
      try {
        await session.query(`INSERT INTO ${table} ${batchRows(batch, batch)}`);
      } catch (error) {
        batches.insertFails();
        throw error;
      }
      batches.insertEnds(batch);
    }),
    // The update stays within a batch, so that the sum does not change.
    traffic('UPDATE', async (session) => {
      const [from, to] = [random.between(1, BATCH_ROWS - 1), BATCH_ROWS];
      const amount = random.between(1, 99);
      await session.query(
        `UPDATE ${table} SET amount = amount + CASE WHEN item = ${from} THEN -${amount} ELSE ${amount} END WHERE batch = ${batches.any()} AND item IN (${from}, ${to})`,
      );
    }),
    traffic('DELETE', async (session) => {
      const batch = batches.deleteBegins();
      try {
        await session.query(`DELETE FROM ${table} WHERE batch = ${batch}`);
      } catch (error) {
        batches.deleteFails(batch);
        throw error;
      }
      batches.deleteEnds();
    }),
    traffic('point', async (session) => {
      const batch = batches.any();
      const item = random.between(1, BATCH_ROWS);
      const found = await session.query(
        `SELECT batch, item, note FROM ${table} WHERE batch = ${batch} AND item = ${item}`,
      );
      const isRight = found.length === 1 && Number(found[0]![0]) === batch && found[0]![2] === `item ${item}`;
      if (isRight || !batches.isThere(batch)) return;
      throw new WrongAnswer(`batch ${batch}, item ${item}, which was committed: ${JSON.stringify(found)}`);
    }),
    traffic('aggregate', async (session) => {
      const bounds = batches.bounds();
      const [row] = await session.query(`SELECT count(*), sum(amount), count(DISTINCT batch) FROM ${table}`);
      const [rows, sum, found] = row!.map(Number) as [number, number, number];
      const { least, most } = bounds();
      if (sum === 0 && rows === found * BATCH_ROWS && found >= least && found <= most) return;
      throw new WrongAnswer(
        `${rows} rows in ${found} batches come to ${sum}, in place of ${least} to ${most} batches that come to 0`,
      );
    }),
  ];
}
