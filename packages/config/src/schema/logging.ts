import { LOG_LEVELS } from '@tessera/common';
import { NOW } from './effect.ts';
import { block, list, oneOf, string } from './parameter.ts';

const effect = NOW;

export const logging = block(
  'logging configuration',
  {
    components: list(
      'per-component level overrides',
      {
        level: oneOf('level for the component', LOG_LEVELS, { example: 'debug', effect }),
        name: string('logger component name', { example: 'http', effect }),
      },
      { default: [] },
    ),
    format: oneOf('output format', ['text', 'json'], { default: 'json', effect }),
    level: oneOf('default level', LOG_LEVELS, { default: 'info', effect }),
    sinks: list(
      'output targets; left out: one stderr sink at the global level',
      {
        file: block(
          'file-sink settings; required for type file, absent for stderr',
          { path: string('file the sink writes to', { example: '/var/log/tessera/engine.log', effect }) },
          { default: null },
        ),
        level: oneOf('level for this sink; unset: logging.level', LOG_LEVELS, { default: null, effect }),
        type: oneOf('sink destination', ['stderr', 'file'], { example: 'stderr', effect }),
      },
      { default: null },
    ),
  },
  { default: {} },
);
