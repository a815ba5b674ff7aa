import { NOW } from './effect.ts';
import { block, integer, list, oneOf, string } from './parameter.ts';

const PORT = { min: 0, max: 65_535 };

const httpListener = {
  path: string('Unix-domain-socket path; for type unix only', { default: null, effect: NOW }),
  port: integer('TCP port, 0 for any free one; for type tcp only', { ...PORT, default: null, effect: NOW }),
  type: oneOf('listener transport', ['tcp', 'unix'], { example: 'tcp', effect: NOW }),
};

const postgresListener = {
  path: string('unused; Unix sockets are not supported for this protocol', {
    default: null,
    effect: NOW,
  }),
  port: integer('TCP port, 0 for any free one', { ...PORT, default: null, effect: NOW }),
  type: oneOf('listener transport', ['tcp'], { example: 'tcp', effect: NOW }),
};

export const endpoints = block(
  'network listeners for HTTP and the PostgreSQL wire protocol',
  {
    http: block(
      'HTTP listener configuration for the query API',
      {
        listeners: list('HTTP listener bindings: at most one tcp and one unix', httpListener, {
          default: [],
        }),
      },
      { default: {} },
    ),
    postgres: block(
      'PostgreSQL wire-protocol listener configuration',
      { listeners: list('PostgreSQL listener bindings', postgresListener, { default: [] }) },
      { default: {} },
    ),
  },
  { default: {} },
);
