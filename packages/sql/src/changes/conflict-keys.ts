import { fail } from '@tessera/common';
import type { ConflictClause } from '../statements/catalog-statement.ts';
import { failInStatement } from './change-query.ts';
import { type ChangeTarget, type TargetColumn, targetColumn } from './change-target.ts';

/** A constraint of the table. */
export interface TargetConstraint {
  readonly name: string;
  /** The columns of a PRIMARY KEY or UNIQUE constraint; undefined for other constraints. */
  readonly key: readonly TargetColumn[] | undefined;
}

/** The columns of a unique constraint. Rows that are equal in all of them conflict; NULL equals nothing. */
export type ConflictKey = readonly TargetColumn[];

/**
 * The keys whose conflicts the clause handles: that of its target, or all of the table. Keys of the same columns occur once.
 * @throws TesseraError BINDING_ERROR if no unique constraint has the columns of the target, UNDEFINED_NAME, UNDEFINED_OBJECT,
 * WRONG_OBJECT_TYPE
 */
export function conflictKeys(
  { target: wanted, location }: ConflictClause,
  table: ChangeTarget,
  constraints: readonly TargetConstraint[],
): readonly ConflictKey[] {
  const keys = distinctKeys(constraints);
  if (wanted === undefined) return keys;
  if (wanted.kind === 'constraint') return [keyOf(wanted.constraint, table, constraints)];
  const columns = wanted.columns.map(({ name, location: at }) => targetColumn(table, name, at));
  const key = keys.find((candidate) => isSameKey(candidate, columns));
  if (key !== undefined) return [key];
  const message = `There is no unique or exclusion constraint matching the ON CONFLICT specification: no PRIMARY KEY or UNIQUE constraint of table "${table.name}" has exactly these columns`;
  return failInStatement('BINDING_ERROR', message, location);
}

function keyOf(
  { name, location }: Extract<ConflictClause['target'], { kind: 'constraint' }>['constraint'],
  table: ChangeTarget,
  constraints: readonly TargetConstraint[],
): ConflictKey {
  const constraint = constraints.find((candidate) => candidate.name === name);
  if (constraint === undefined)
    return fail('UNDEFINED_OBJECT', { what: `Constraint of table "${table.name}"`, name }, { location });
  const message = `Constraint "${name}" in ON CONFLICT is neither a PRIMARY KEY nor UNIQUE`;
  return constraint.key ?? fail('WRONG_OBJECT_TYPE', { message }, { location });
}

function distinctKeys(constraints: readonly TargetConstraint[]): readonly ConflictKey[] {
  const keys: ConflictKey[] = [];
  for (const { key } of constraints) {
    if (key !== undefined && !keys.some((known) => isSameKey(known, key))) keys.push(key);
  }
  return keys;
}

const isSameKey = (a: ConflictKey, b: ConflictKey): boolean =>
  a.length === b.length && a.every((column) => b.includes(column));
