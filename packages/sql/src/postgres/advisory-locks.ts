import { fail } from '@tessera/common';
import { cast, constant, type Expression } from '../tree.ts';
import type { PostgresFunction } from './postgres-function.ts';

/**
 * The session takes the lock before the query runs and replaces the arguments by the outcome:
 * `pg_try_advisory_lock(7)` arrives here as `pg_try_advisory_lock(true)`, `pg_advisory_lock(7)` as
 * `pg_advisory_lock()`. Calls with other arguments occur only if the query is described and not run.
 */
const answered = (isVoid: boolean): PostgresFunction => ({
  arity: [0, 2],
  rewrite: ([first], { sessionValues }) => {
    if (sessionValues.protocol !== 'postgres') {
      const hint = 'Connect by the PostgreSQL protocol.';
      return fail('NOT_SUPPORTED', {
        what: 'An advisory lock over HTTP, where no session could hold it,',
        hint,
      });
    }
    if (isVoid) return constant('');
    return first !== undefined && isBoolean(first) ? first : cast(constant(null), 'BOOLEAN');
  },
});

const isBoolean = (node: Expression): boolean => node.class === 'CAST' && node.cast_type.id === 'BOOLEAN';

const LOCKS = ['', 'xact_'].flatMap((of) => ['', '_shared'].map((mode) => [of, mode] as const));

export const advisoryLockFunctions: Readonly<Record<string, PostgresFunction>> = Object.fromEntries([
  ...LOCKS.flatMap(([of, mode]) => [
    [`pg_advisory_${of}lock${mode}`, answered(true)],
    [`pg_try_advisory_${of}lock${mode}`, answered(false)],
  ]),
  ['pg_advisory_unlock', answered(false)],
  ['pg_advisory_unlock_shared', answered(false)],
  ['pg_advisory_unlock_all', answered(true)],
]);
