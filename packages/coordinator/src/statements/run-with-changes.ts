import { type Action, requireTable, type Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import {
  classifyStatement,
  type OutputColumn,
  type RowChangeStatement,
  type WithChangesStatement,
} from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { withHeldExecutable } from '../changes/derived-query.ts';
import { discardTablets } from '../changes/discard-tablets.ts';
import { changedRows } from '../changes/returned-rows.ts';
import { storeQuery } from '../changes/store-query.ts';
import { ReturnedRelations } from './returned-relations.ts';

/** Makes the change of one statement. */
type ChangeOf = (
  context: ChangeContext,
  snapshot: Snapshot,
  statement: RowChangeStatement,
) => Promise<Change>;

/**
 * The changes of a WITH clause, with the statement after it. As in PostgreSQL, all of them see the same snapshot and not the
 * effects of one another; rows pass between them only through RETURNING. They are committed together.
 * @throws TesseraError NOT_SUPPORTED if two parts may change the same rows
 */
export async function runWithChanges(
  context: ChangeContext,
  snapshot: Snapshot,
  { changes, main }: WithChangesStatement,
  changeOf: ChangeOf,
): Promise<Change> {
  const parts = changes.map(({ sql }) => classifyStatement(sql) as RowChangeStatement);
  refuseSameRows(context, snapshot, main.statement.kind === 'query' ? parts : [...parts, main.statement]);
  const relations = new ReturnedRelations(context, snapshot);
  const actions: Action[] = [];
  const stored: Action[] = [];
  try {
    for (const [i, part] of parts.entries()) {
      const change = await changeOf(ofPart(context, changes[i]!.sql), relations.snapshot, part);
      actions.push(...change.actions);
      if (change.returned !== undefined) stored.push(...(await storeReturned(context, relations, i, change)));
    }
    const last =
      main.statement.kind === 'query'
        ? await queryRows(context, relations.snapshot, main.statement.sql)
        : await changeOf(withText(context, main.sql), relations.snapshot, main.statement);
    return { ...last, actions: [...actions, ...last.actions] };
  } catch (error) {
    await discardTablets(context.tables, actions);
    throw error;
  } finally {
    await discardTablets(context.tables, stored);
  }
}

/** The statement after WITH sees the returned rows of a change; they are stored like those of a table, for all nodes. */
async function storeReturned(
  context: ChangeContext,
  relations: ReturnedRelations,
  index: number,
  { returned }: Change,
): Promise<readonly Action[]> {
  const executable = returned!;
  try {
    const toStore = relations.toStore(index, executable.columns as readonly OutputColumn[]);
    const { actions } = await storeQuery(context, executable, toStore, context.run.query.signal);
    relations.add(toStore.table, actions);
    return actions;
  } finally {
    await executable.release();
  }
}

/** The rows of the query are computed before the commit: if it fails, nothing is changed. */
const queryRows = (context: ChangeContext, snapshot: Snapshot, sql: string): Promise<Change> =>
  withHeldExecutable(context, snapshot, { sql, explain: (error) => error }, async (executable) => {
    const { rows, returned } = await changedRows(context, executable, []);
    return { actions: [], affectedRows: rows, returned };
  });

const withText = (context: ChangeContext, text: string): ChangeContext => ({
  ...context,
  run: { ...context.run, text },
});

/** The rows that a part returns are no result, so `max_result_rows` does not apply. */
function ofPart(context: ChangeContext, text: string): ChangeContext {
  const { request } = context.run;
  const settings = { ...request.settings, max_result_rows: 0 };
  return { ...context, run: { ...context.run, text, request: { ...request, settings } } };
}

/**
 * Refuses a statement in which one row may be updated or deleted twice: the outcome would depend on the order. ON CONFLICT would
 * not see the rows that another part inserts.
 */
function refuseSameRows(
  { database }: ChangeContext,
  snapshot: Snapshot,
  statements: readonly RowChangeStatement[],
): void {
  const uses = new Map<string, { inserts: number; others: number; compares: boolean }>();
  for (const statement of statements) {
    const { kind, table: name } = statement;
    const { id, name: shown } = requireTable(snapshot, name, database);
    const use = uses.get(id) ?? { inserts: 0, others: 0, compares: false };
    uses.set(id, use);
    use[kind === 'insert' ? 'inserts' : 'others'] += 1;
    use.compares ||= kind === 'insert' && statement.onConflict !== undefined;
    if (use.others > 1 || (use.compares && use.inserts + use.others > 1)) {
      const hint = 'run them as statements of one transaction';
      fail('NOT_SUPPORTED', { what: `Changing the rows of "${shown}" twice in one statement`, hint }, name);
    }
  }
}
