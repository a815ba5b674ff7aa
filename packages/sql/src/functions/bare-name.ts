import { type ColumnRefNode, call, constant, type Expression } from '../tree.ts';
import type { FunctionContext } from './types.ts';

/** The kernel's functions for PostgreSQL's keywords for the current time. */
const CLOCK: Readonly<Record<string, string>> = {
  current_date: 'current_date',
  current_time: 'get_current_time',
  current_timestamp: 'get_current_timestamp',
  localtime: 'current_localtime',
  localtimestamp: 'current_localtimestamp',
};

/**
 * Rewrites `session_user`, `current_date` and similar words without parentheses, which the parser takes for
 * columns; undefined for any other reference. PostgreSQL reserves these words, so an unquoted column cannot
 * have such a name.
 */
export function rewriteBareName(node: ColumnRefNode, context: FunctionContext): Expression | undefined {
  const name = bareNameOf(node);
  if (name === undefined) return undefined;
  const value = Object.hasOwn(CLOCK, name) ? call(CLOCK[name]!) : constant(context.sessionValues.user);
  return { ...value, alias: node.alias, query_location: node.query_location };
}

/** The word, if the reference is one that `rewriteBareName` replaces. */
export function bareNameOf({ column_names: [first = '', ...rest] }: ColumnRefNode): string | undefined {
  const name = first.toLowerCase();
  const isWord = Object.hasOwn(CLOCK, name) || /^(?:session|current)_user$/.test(name);
  return rest.length === 0 && isWord ? name : undefined;
}
