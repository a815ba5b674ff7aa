import { fail, type SqlLocation } from '@tessera/common';
import { catalogReferences, refuseTable } from '../guard/relations.ts';
import type { ParsedQuery } from '../parse/parse.ts';
import { namedFile, readOfFile } from '../reads/named-file.ts';
import {
  checkUrl,
  fileArguments,
  namedLocation,
  type ReadArguments,
  readArguments,
} from '../reads/read-arguments.ts';
import type { RelationSource } from '../reads/read-call.ts';
import { placedScan } from '../reads/scan.ts';
import type { KeyedTable } from '../rewrites/group-by-key.ts';
import { failForUpload } from '../statements/grammar/refuse-uploads.ts';
import {
  type BaseTableRef,
  type Statement,
  selectAll,
  type TableFunctionRef,
  type TableRef,
} from '../tree.ts';
import { externalScan } from './external-scan.ts';
import type { Placement } from './placement.ts';
import type { PrepareContext } from './prepare-context.ts';
import { aliasesFor, type NamedRef } from './qualified-columns.ts';
import { MANAGED_SCHEMA, type ResolvedRelation } from './relation-resolver.ts';

export type ViewRelation = Extract<ResolvedRelation, { kind: 'view' }>;

/** The names of one query, excluding those of its views. */
export interface RelationScope {
  readonly context: PrepareContext;
  readonly placement: Placement;
  /** The database of names that do not give one. */
  readonly database: string;
  /** The id of the view whose query this is. */
  readonly view: string | undefined;
  /** The columns of FILE_COLUMNS that the query names. */
  readonly fileColumns: readonly string[];
  /** Rewrites the query of a view that is referenced at `ref`, with the same placement. */
  rewriteView(view: ViewRelation, ref: BaseTableRef): Promise<Statement>;
}

export interface PlacedRelations {
  /** The replacement of each reference. */
  readonly refs: ReadonlyMap<TableRef, TableRef>;
  readonly named: readonly NamedRef[];
  /** The references to tables with a primary key. */
  readonly keyed: ReadonlyMap<TableRef, KeyedTable>;
  /** References that also provide `fileColumns`. */
  readonly withFileColumns: ReadonlySet<TableRef>;
}

/**
 * Resolves every name in FROM and every READ_* call of a query.
 * @throws TesseraError UNDEFINED_TABLE, FORBIDDEN, and the errors of reading files
 */
export async function placeRelations(
  { statement, locate }: ParsedQuery,
  reads: readonly TableFunctionRef[],
  scope: RelationScope,
): Promise<PlacedRelations> {
  const { context, placement, database, view } = scope;
  const refs = new Map<TableRef, TableRef>();
  const withFileColumns = new Set<TableRef>();
  const keyed = new Map<TableRef, KeyedTable>();
  const references = catalogReferences(statement, locate);
  for (const ref of references) {
    const url = context.recogniseUpload && namedFile(ref);
    if (url !== undefined) refs.set(ref, await placedFile(ref, url, scope, locate(ref.query_location)));
  }
  const named = aliasesFor(
    statement,
    references.filter((ref) => !refs.has(ref)),
  );
  for (const { ref, alias } of named) {
    const relation = await resolve(ref, scope, locate);
    if (relation.kind === 'table') {
      placement.tables.set(relation.boundName, relation);
      const { primaryKey, columns } = relation;
      if (primaryKey !== undefined && ref.column_name_alias.length === 0) {
        const names = columns.map(({ name }) => name);
        keyed.set(ref, { alias: ref.alias || ref.table_name, primaryKey, columns: names });
      }
    }
    if (relation.kind === 'files' && scope.fileColumns.length > 0) withFileColumns.add(ref);
    refs.set(ref, await placed({ ...ref, alias }, relation, scope, locate));
  }
  for (const ref of reads) {
    const location = locate(ref.query_location);
    const name = namedLocation(ref);
    const mention = { view, database, location };
    const storage = name === undefined ? undefined : await context.relations?.location(name, mention);
    const args = readArguments(ref, location, storage);
    const isUpload = /^upload:/i.test(args.url);
    // The statement that creates a view is checked as text, where a URL may be split into pieces; so it is
    // checked again here.
    if (view !== undefined && isUpload) failForUpload('a view', location);
    if (storage === undefined && !isUpload) await context.relations?.url(mention);
    const source = await context.resolveRead({ ...args, location });
    refs.set(ref, await placedScan(ref, args, source, context.session, marks(source, scope)));
  }
  return { refs, named, keyed, withFileColumns };
}

/** Reads a file that FROM names without a function, in the format and with the options that its content has. */
async function placedFile(
  ref: BaseTableRef,
  url: string,
  scope: RelationScope,
  location: SqlLocation | undefined,
): Promise<TableRef> {
  const { context } = scope;
  checkUrl(url, (message) => fail('INVALID_ARGUMENT', { message }, { location }));
  const args = await (/^upload:/i.test(url) ? uploadArguments : storedArguments)(url, scope, location);
  const source = await context.resolveRead({ ...args, location });
  return placedScan(readOfFile(ref, args), args, source, context.session, marks(source, scope));
}

const marks = ({ scanId }: RelationSource, { context: { warn }, placement }: RelationScope) => ({
  warn,
  mark: (scan: TableRef) => placement.relation(scan, scanId),
  markQuery: placement.subquery.bind(placement),
});

async function uploadArguments(
  url: string,
  { context, view }: RelationScope,
  location: SqlLocation | undefined,
): Promise<ReadArguments> {
  if (view !== undefined) failForUpload('a view', location);
  return context.recogniseUpload!(url);
}

/** A URL below a LOCATION is read with its credentials, and requires the privileges that naming it would. */
async function storedArguments(
  url: string,
  { context, database, view }: RelationScope,
  location: SqlLocation | undefined,
): Promise<ReadArguments> {
  const mention = { view, database, location };
  const storage = await context.relations?.locationOf(url, mention);
  if (storage === undefined) await context.relations?.url(mention);
  const args = fileArguments(url, storage, location);
  return context.recogniseFile?.(args) ?? args;
}

async function resolve(
  ref: BaseTableRef,
  { context, database, view }: RelationScope,
  locate: ParsedQuery['locate'],
): Promise<ResolvedRelation> {
  const location = locate(ref.query_location);
  const name = {
    database: ref.catalog_name || undefined,
    schema: ref.schema_name || undefined,
    name: ref.table_name,
    location,
  };
  const found = await context.relations?.resolve(name, { view, database, location });
  if (found === undefined) return refuseTable(ref, locate);
  if (ref.at_clause !== null) {
    fail('NOT_SUPPORTED', { what: 'AT (an older version of a table)' }, { location });
  }
  return found;
}

async function placed(
  ref: BaseTableRef,
  relation: ResolvedRelation,
  { context, placement, fileColumns, rewriteView }: RelationScope,
  locate: ParsedQuery['locate'],
): Promise<TableRef> {
  switch (relation.kind) {
    case 'table':
      return tableRef(ref, relation.boundName);
    case 'view':
      return placement.query(await rewriteView(relation, ref), (query) => viewRef(ref, relation, query));
    case 'temporary':
      if (relation.ofSystem) placement.readsSystem = true;
      return placement.relation({
        ...ref,
        catalog_name: relation.database,
        schema_name: relation.database === 'temp' ? '' : 'main',
        table_name: relation.name,
      });
    case 'files': {
      const source = await context.resolveRead({
        ...relation.call,
        location: locate(ref.query_location),
        namesFiles: fileColumns.length > 0,
      });
      const { scanId } = source;
      if (scanId === undefined)
        return placement.relation(
          await externalScan(ref, relation, source, context.session, { fileColumns }),
        );
      // The placeholder represents only the reading of the files, so that nodes that read parts of them also
      // convert the columns.
      const mark = (scan: TableRef) => placement.relation(scan, scanId);
      const converted = await externalScan(ref, relation, source, context.session, {
        mark,
        fileColumns,
      });
      return placement.subquery(converted);
    }
  }
}

/**
 * Plans use the table's own column names, so the column names that the user assigns are applied around the
 * reference.
 */
function tableRef(ref: BaseTableRef, boundName: string): TableRef {
  const table = { ...ref, catalog_name: '', schema_name: MANAGED_SCHEMA, table_name: boundName };
  if (ref.column_name_alias.length === 0) return table;
  const { alias, sample, query_location, column_name_alias } = ref;
  const plain = { ...table, alias: '', sample: null, column_name_alias: [] };
  const subquery = { node: selectAll(plain), named_param_map: [] };
  return { type: 'SUBQUERY', alias, sample, query_location, subquery, column_name_alias };
}

/** Column names that the user assigns take precedence over those of the view. */
function viewRef(ref: BaseTableRef, { columnNames = [] }: ViewRelation, subquery: Statement): TableRef {
  const given = ref.column_name_alias;
  return {
    type: 'SUBQUERY',
    alias: ref.alias,
    sample: ref.sample,
    query_location: ref.query_location,
    subquery,
    column_name_alias: [...given, ...columnNames.slice(given.length)],
  };
}
