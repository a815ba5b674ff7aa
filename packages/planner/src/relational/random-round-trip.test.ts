import { TesseraError } from '@tessera/common';
import { describe, expect, test } from 'vitest';
import { generatorPresent, randomQueries } from './testing/random-queries.ts';
import { RoundTrip } from './testing/round-trip.ts';
import { UnsupportedPlan } from './unsupported-plan.ts';

const SEED = process.env.FUZZ_SEED ?? '20261121';
const SCHEMAS = Number(process.env.FUZZ_SCHEMAS ?? 4);
const QUERIES_PER_SCHEMA = 60;
const SCHEMA_TIMEOUT_MS = 120_000;

describe.skipIf(!generatorPresent())(
  `random queries, seed ${SEED} (skipped where the generator is absent)`,
  () => {
    test.for(Array.from({ length: SCHEMAS }, (_, i) => `${SEED}:${i}`))(
      'schema %s',
      { timeout: SCHEMA_TIMEOUT_MS },
      async (seed) => {
        const { setup, queries } = await randomQueries(seed, QUERIES_PER_SCHEMA);
        const roundTrip = await RoundTrip.open(setup);
        const wrong: string[] = [];
        const refused: string[] = [];
        for (const [i, { sql, isOrdered }] of queries.entries()) {
          const tables = i % 3 === 0 ? 'filled' : 'empty';
          try {
            const difference = await roundTrip.difference(sql, { tables }, isOrdered);
            if (difference !== undefined) wrong.push(`${seed}:${i} ${difference}`);
          } catch (error) {
            if (!(error instanceof UnsupportedPlan || error instanceof TesseraError)) throw error;
            refused.push(error.message);
          }
        }
        expect(wrong).toEqual([]);
        // The kernel itself fails to return some of the plans.
        expect(refused.length, refused.join('\n')).toBeLessThan(QUERIES_PER_SCHEMA / 20);
      },
    );
  },
);
