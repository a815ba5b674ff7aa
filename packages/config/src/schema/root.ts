import type { z } from 'zod';
import { auth } from './auth.ts';
import { NOW } from './effect.ts';
import { endpoints } from './endpoints.ts';
import { engine } from './engine.ts';
import { execution } from './execution.ts';
import { instance } from './instance.ts';
import { logging } from './logging.ts';
import { block, string } from './parameter.ts';
import { planner } from './planner.ts';
import { storage } from './storage.ts';

export const SCHEMA_VERSION = '1.0';

/** The schema of the whole file. */
export const root = block(
  'the engine configuration file',
  {
    auth,
    endpoints,
    engine,
    execution,
    instance,
    logging,
    planner,
    schema_version: string('version of the configuration schema', {
      test: (text) => text === SCHEMA_VERSION,
      expected: `the string "${SCHEMA_VERSION}"`,
      example: SCHEMA_VERSION,
      jsonSchema: { const: SCHEMA_VERSION },
      effect: NOW,
    }),
    storage,
  },
  {},
);

/**
 * The configuration in the form in which the engine uses it: with defaults, durations in milliseconds, and byte
 * sizes in bytes.
 */
export type EngineConfig = z.output<typeof root>;
