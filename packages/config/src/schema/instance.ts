import { NOW } from './effect.ts';
import { block, oneOf, string, ulid } from './parameter.ts';
import { isHostPort } from './text-shapes.ts';

/** The id of an instance whose configuration gives none. */
const PRESET_INSTANCE_ID = '01JTESSERA0000000000000000';

export const instance = block(
  'instance identity and topology',
  {
    id: ulid('unique instance identifier', { default: PRESET_INSTANCE_ID, effect: NOW }),
    multi_engine: block(
      'multi-engine settings; required for type multi_engine, ignored for single_engine',
      {
        metadata_endpoint: string('address of the external metadata service', {
          test: isHostPort,
          expected: 'an address host:port',
          example: 'metadata.internal:7100',
          effect: NOW,
        }),
      },
      { default: null },
    ),
    type: oneOf(
      'deployment topology: metadata runs locally (single_engine) or in an external service (multi_engine)',
      ['single_engine', 'multi_engine'],
      { default: 'single_engine', effect: NOW },
    ),
  },
  { default: {} },
);
