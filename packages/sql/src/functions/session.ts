import { fail } from '@tessera/common';
import packageJson from '../../package.json' with { type: 'json' };
import { cast, constant, type Expression } from '../tree.ts';
import { literalText } from './expressions.ts';
import { POSTGRES_VERSION_TEXT } from './postgres-settings.ts';
import { type Definition, type FunctionContext, inCategory } from './types.ts';

const fromSession = (
  name: string,
  description: string,
  value: (context: FunctionContext) => string,
  result: string,
): Definition => ({
  name,
  signatures: [`${name}() → text`],
  description,
  example: `${name}()`,
  result,
  implementation: { kind: 'rewrite', arity: [0, 0], rewrite: (_, context) => constant(value(context)) },
});

const VERSION = `Tessera ${packageJson.version}`;

const versionText = (_: unknown, { sessionValues }: FunctionContext): Expression =>
  constant(sessionValues.protocol === 'postgres' ? POSTGRES_VERSION_TEXT : VERSION);

export const SESSION_FUNCTIONS = inCategory('session and system', [
  fromSession('current_account', 'The account of the session.', (c) => c.sessionValues.account, 'account'),
  fromSession('current_database', 'The database of the session.', (c) => c.sessionValues.database, 'tessera'),
  fromSession('current_engine', 'The engine that runs the query.', (c) => c.sessionValues.engine, 'engine'),
  {
    ...fromSession(
      'session_user',
      'The user of the session; also without parentheses.',
      (c) => c.sessionValues.user,
      'user',
    ),
    aliases: ['current_user', 'user'],
  },
  {
    name: 'param',
    signatures: ['param(text) → text'],
    description: 'The value of a named parameter of the query, as text.',
    example: "param('level')",
    result: 'Drift',
    implementation: {
      kind: 'rewrite',
      arity: [1, 1],
      rewrite: ({ children: [argument] }, { parameters }) => {
        const name = literalText(argument);
        if (name === undefined)
          return fail('INVALID_ARGUMENT', {
            message: 'The argument of param must be a literal: the name of a parameter',
          });
        const parameter = parameters.find((p) => p.name === name);
        if (parameter === undefined) {
          return fail('INVALID_ARGUMENT', { message: `The request has no parameter named "${name}"` });
        }
        const { value } = parameter;
        const asText = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
        return cast(constant(value === null ? null : asText), 'VARCHAR');
      },
    },
  },
  {
    name: 'version',
    signatures: ['version() → text'],
    description:
      'The version of the engine. Over the PostgreSQL protocol, it has the form that PostgreSQL clients expect.',
    example: "version() LIKE 'Tessera %'",
    result: 'true',
    implementation: { kind: 'rewrite', arity: [0, 0], rewrite: versionText },
  },
]);
