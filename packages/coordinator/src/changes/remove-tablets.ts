import { type Action, requireTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { fail, newUlid } from '@tessera/common';
import { quoteName, typeToSql } from '@tessera/kernel';
import type { SqlText } from '@tessera/sql';
import { definitionExpression, partitionExpressions, withSession } from '../objects/definition-check.ts';
import { ownedSequences } from '../objects/owned-sequences.ts';
import type { Change, ChangeContext } from './change.ts';

/** Removes all rows of a table without reading a tablet. */
export function truncate(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: { readonly table: Parameters<typeof requireTable>[1]; readonly restartIdentity?: boolean },
): Change {
  const table = requireTable(snapshot, statement.table, context.database);
  const removed = removeTablets(snapshot, table, 'truncate', () => true);
  if (!statement.restartIdentity) return removed;
  const restarted = ownedSequences(snapshot, [table]).map((sequence): Action => {
    const object = { ...sequence, next: sequence.start, generation: newUlid() };
    return { kind: 'alter', object };
  });
  return { ...removed, actions: [...removed.actions, ...restarted] };
}

/** Removes the tablets of one partition. */
export async function dropPartition(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  values: readonly SqlText[],
): Promise<Change> {
  if (table.partitionBy.length === 0) {
    fail('INVALID_ARGUMENT', { message: `Table "${table.name}" has no PARTITION BY` });
  }
  if (values.length !== table.partitionBy.length) {
    const message = `DROP PARTITION takes ${table.partitionBy.length} values for table "${table.name}", not ${values.length}`;
    fail('INVALID_ARGUMENT', { message });
  }
  const wanted = await partitionValues(context, table, values);
  return removeTablets(snapshot, table, 'drop_partition', (partition) =>
    partition.every((value, i) => value === wanted[i]),
  );
}

/**
 * The partition values of the literals in the form that tablets store: cast to the types of the expressions,
 * as the kernel's text.
 */
function partitionValues(
  context: ChangeContext,
  table: TableObject,
  values: readonly SqlText[],
): Promise<(string | null)[]> {
  return withSession(context, async (session) => {
    const expressions = await partitionExpressions(context, session, table);
    const nulls = table.columns.map((c) => `NULL::${c.type} AS ${quoteName(c.storedName)}`);
    const result: (string | null)[] = [];
    for (const [i, value] of values.entries()) {
      const literal = await definitionExpression(context, session, value, [], context.run.text);
      // The type of the expression determines the meaning of the literal: '2024-01-01' is a date for a DATE
      // expression.
      const { columns } = await session.describe(
        `SELECT ${expressions[i]!.sql} FROM (SELECT ${nulls.join(', ')})`,
      );
      const type = typeToSql(columns[0]!.type);
      const text = await session.scalar(`SELECT CAST(CAST(${literal.sql} AS ${type}) AS VARCHAR)`);
      result.push(text === null ? null : String(text));
    }
    return result;
  });
}

function removeTablets(
  snapshot: Snapshot,
  table: TableObject,
  reason: 'truncate' | 'drop_partition',
  isMeant: (partition: readonly (string | null)[]) => boolean,
): Change {
  let affectedRows = 0;
  const actions: Action[] = [];
  for (const tablet of snapshot.tablets(table.id)) {
    if (!isMeant(tablet.partition)) continue;
    affectedRows += tablet.rows - (snapshot.deletionVector(table.id, tablet.id)?.rows ?? 0);
    actions.push({ kind: 'remove_tablet', tableId: table.id, tabletId: tablet.id, reason });
  }
  return { actions, affectedRows };
}
