import { type ColumnRefNode, call, constant, type Expression } from '../tree.ts';
import type { FunctionContext } from './types.ts';

type Value = (context: FunctionContext) => Expression;

const user: Value = ({ sessionValues }) => constant(sessionValues.user);

/** The values of PostgreSQL's keywords; the kernel has functions for those of the current time. */
const WORDS: Readonly<Record<string, Value>> = {
  current_catalog: ({ sessionValues }) => constant(sessionValues.database),
  current_date: () => call('current_date'),
  current_role: user,
  current_schema: () => constant('public'),
  current_time: () => call('get_current_time'),
  current_timestamp: () => call('get_current_timestamp'),
  current_user: user,
  localtime: () => call('current_localtime'),
  localtimestamp: () => call('current_localtimestamp'),
  session_user: user,
};

/**
 * Rewrites `session_user`, `current_date` and similar words without parentheses, which the parser takes for
 * columns; undefined for any other reference. PostgreSQL reserves these words, so an unquoted column cannot
 * have such a name.
 */
export function rewriteBareName(node: ColumnRefNode, context: FunctionContext): Expression | undefined {
  const name = bareNameOf(node);
  if (name === undefined) return undefined;
  return { ...WORDS[name]!(context), alias: node.alias, query_location: node.query_location };
}

/** The word, if the reference is one that `rewriteBareName` replaces. */
export function bareNameOf({ column_names: [first = '', ...rest] }: ColumnRefNode): string | undefined {
  const name = first.toLowerCase();
  return rest.length === 0 && Object.hasOwn(WORDS, name) ? name : undefined;
}
