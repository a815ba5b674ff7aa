import { createLogging } from '@tessera/common';
import { parseConfig } from '@tessera/config';
import { expect, it } from 'vitest';
import { admissionOptions } from './admission-options.ts';

const logging = createLogging({ level: 'fatal', format: 'json', components: [], sinks: [] });
const optionsOf = (engine: object, controller: object, node = 0) =>
  admissionOptions(
    parseConfig(
      JSON.stringify({
        schema_version: '1.0',
        engine,
        execution: { admission_controller: controller },
      }),
      'test',
    ).config,
    node,
    1_000,
    logging,
  );

it('every parameter of execution.admission_controller reaches the controller of the node', () => {
  expect(optionsOf({}, {})).toBeUndefined();
  const told = optionsOf(
    {},
    {
      enabled: true,
      max_concurrent_admitted_queries: 7,
      max_required_relative_memory_for_retry: 0.5,
      max_retries_per_query: 2,
      reduce_required_memory_after_seconds_at_front_of_queue: 11,
      seconds_between_no_admission_warnings: 12,
      seconds_until_no_admission_warning: 13,
      total_memory_tracker_hard_limit_ratio: 0.4,
    },
  );
  expect(told).toMatchObject({
    places: { share: 7 },
    retryShare: 0.5,
    maxRetries: 2,
    secondsAtFront: 11,
    secondsBetweenWarnings: 12,
    secondsUntilWarning: 13,
    memoryBytes: 400,
  });
});

it('max_concurrent_admitted_queries is a limit of the engine: the shares of its nodes add up to it', () => {
  const shares = (nodes: number, max_concurrent_admitted_queries: number) => {
    const engine = { nodes: Array.from({ length: nodes }, (_, i) => ({ host: `node-${i}` })) };
    const controller = { enabled: true, max_concurrent_admitted_queries };
    return engine.nodes.map((_, node) => optionsOf(engine, controller, node)?.places.share);
  };
  expect(shares(3, 100)).toEqual([34, 33, 33]);
  expect(shares(4, 6)).toEqual([2, 2, 1, 1]);
  expect(shares(1, 7)).toEqual([7]);
  expect(shares(3, 2)).toEqual([1, 1, 1]);
});
