import { expect, test } from 'vitest';
import { WrongAnswer } from '../../load/session.ts';
import { mixedTraffic } from './mixed-traffic.ts';
import { BATCH_ROWS } from './parameters.ts';

const BATCHES = 10;

/** Readers of a server that answers every query with these rows. */
async function reader(name: string, rows: unknown[][]) {
  const parameters = { url: '', table: 't', seed: 1, batches: BATCHES };
  const traffics = mixedTraffic(parameters, async () => ({
    query: async () => rows,
    close: async () => undefined,
  }));
  return (await traffics.find((one) => one.name === name)!.open()).send(0);
}

test.for([
  ['all of it', [BATCHES * BATCH_ROWS, 0, BATCHES], true],
  ['a sum that is not 0', [BATCHES * BATCH_ROWS, 7, BATCHES], false],
  ['a batch in part', [BATCHES * BATCH_ROWS - 1, 0, BATCHES], false],
  ['a batch too few', [(BATCHES - 1) * BATCH_ROWS, 0, BATCHES - 1], false],
  ['a batch that nobody wrote', [(BATCHES + 1) * BATCH_ROWS, 0, BATCHES + 1], false],
] as const)('an aggregate that finds %s', async ([, row, isRight]) => {
  const asked = reader('aggregate', [[...row]]);
  if (isRight) await asked;
  else await expect(asked).rejects.toThrow(WrongAnswer);
});

test('a row that was committed and is not found is a wrong answer', async () => {
  await expect(reader('point', [])).rejects.toThrow(WrongAnswer);
});
