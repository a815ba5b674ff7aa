import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIALECT_FUNCTIONS } from '../src/functions/index.ts';
import { type Evaluator, startEvaluator } from '../src/functions/testing/evaluator.ts';
import { POSTGRES_FUNCTIONS } from '../src/postgres/functions.ts';

/** Lists of arguments: few functions accept more than one of them. */
const ARGUMENTS = ['1', "{'a': 1}", '[1], now()'];

const NAMES = [
  ...DIALECT_FUNCTIONS.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  ...Object.keys(POSTGRES_FUNCTIONS),
];

let evaluator: Evaluator;
beforeAll(async () => {
  evaluator = await startEvaluator();
});
afterAll(() => evaluator[Symbol.asyncDispose]());

/** Whether an error names a function of the kernel or one that the statement does not call. */
function namesAnother(message: string, called: string): boolean {
  if (/\btsr_|\blist_|\boverload|candidate|macro/i.test(message.replaceAll(called, ''))) return true;
  const [, name] = /^Function (\w+)/.exec(message) ?? [];
  return name !== undefined && name !== called;
}

test('an error about arguments names the function that is called', { timeout: 300_000 }, async () => {
  const wrong: string[] = [];
  for (const name of new Set(NAMES.filter((one) => /^[a-z]\w*$/.test(one))))
    for (const args of ARGUMENTS) {
      const sql = `SELECT ${name}(${args})`;
      const message = await evaluator.evaluate(sql).then(
        () => '',
        (error: Error) => error.message,
      );
      if (namesAnother(message, name)) wrong.push(`${sql}: ${message}`);
    }
  expect(wrong).toEqual([]);
});
