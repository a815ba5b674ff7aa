import { constant } from '../tree.ts';
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

export const SESSION_FUNCTIONS = inCategory('session', [
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
]);
