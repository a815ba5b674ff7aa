import { accessChange } from '@tessera/access-control';
import type { Snapshot } from '@tessera/catalog';
import type {
  AccessStatement,
  AlterStatement,
  ChangeStatement,
  CreateStatement,
  DropStatement,
  WithChangesStatement,
} from '@tessera/sql';
import { alterLocation, alterSchema, alterView } from '../catalog/alter-others.ts';
import { alterTable } from '../catalog/alter-table.ts';
import { cloneTable } from '../catalog/clone-table.ts';
import { createTable } from '../catalog/create-table.ts';
import { createTableAs } from '../catalog/create-table-as.ts';
import { alterDatabase, createDatabase, createSchema } from '../catalog/databases.ts';
import { drop } from '../catalog/drop.ts';
import { createExternalTable } from '../catalog/external-tables.ts';
import { createIndex } from '../catalog/indexes.ts';
import { createLocation } from '../catalog/locations.ts';
import { alterSequence, createSequence } from '../catalog/sequences.ts';
import { createView } from '../catalog/views.ts';
import type { Change, ChangeContext } from '../changes/change.ts';
import { insert } from '../changes/insert.ts';
import { truncate } from '../changes/remove-tablets.ts';
import { deleteFrom, merge, update } from '../changes/replace-rows.ts';
import { copyFrom } from '../copy/copy-from.ts';
import { copyFromStdin } from '../copy/copy-from-stdin.ts';
import { runWithChanges } from './run-with-changes.ts';

/** Statements whose only effect is a change of the catalog. */
export type CommittedStatement =
  | CreateStatement
  | AlterStatement
  | DropStatement
  | AccessStatement
  | WithChangesStatement
  | Exclude<ChangeStatement, { kind: 'copy_to' }>;

/** The change that a statement wants to commit, based on the snapshot. Nothing of it is visible yet. */
export function changeOf(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: CommittedStatement,
): Change | Promise<Change> {
  switch (statement.kind) {
    case 'create_database':
      return createDatabase(context, snapshot, statement);
    case 'create_schema':
      return createSchema(context, snapshot, statement);
    case 'create_table':
      return createTable(context, snapshot, statement);
    case 'create_table_as':
      return createTableAs(context, snapshot, statement);
    case 'clone_table':
      return cloneTable(context, snapshot, statement);
    case 'create_view':
      return createView(context, snapshot, statement);
    case 'create_external_table':
      return createExternalTable(context, snapshot, statement);
    case 'create_sequence':
      return createSequence(context, snapshot, statement);
    case 'create_location':
      return createLocation(context, snapshot, statement);
    case 'create_aggregating_index':
    case 'create_skip_index':
      return createIndex(context, snapshot, statement);
    case 'alter_database':
      return alterDatabase(context, snapshot, statement);
    case 'alter_table':
      return alterTable(context, snapshot, statement);
    case 'alter_schema':
      return alterSchema(context, snapshot, statement);
    case 'alter_view':
      return alterView(context, snapshot, statement);
    case 'alter_sequence':
      return alterSequence(context, snapshot, statement);
    case 'alter_location':
      return alterLocation(context, snapshot, statement);
    case 'drop':
      return drop(context, snapshot, statement);
    case 'insert':
      return insert(context, snapshot, statement);
    case 'with_changes':
      return runWithChanges(context, snapshot, statement, async (...part) => changeOf(...part));
    case 'truncate':
      return truncate(context, snapshot, statement);
    case 'update':
      return update(context, snapshot, statement);
    case 'delete':
      return deleteFrom(context, snapshot, statement);
    case 'merge':
      return merge(context, snapshot, statement);
    case 'copy_from':
      return copyFrom(context, snapshot, statement);
    case 'copy_from_stdin':
      return copyFromStdin(context, snapshot, statement);
    default:
      return accessChange(context, snapshot, statement);
  }
}
