import type {
  Column,
  ExternalTableObject,
  RelationObject,
  Snapshot,
  TableObject,
  ViewObject,
} from '@tessera/catalog';
import { DEFAULT_GRANULARITY } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import {
  columnType,
  dialectTypeName,
  EXTERNAL_TABLE_OPTIONS,
  quoteIdentifier,
  redactedQuery,
  redactedUrl,
} from '@tessera/sql';
import { constraintDefinition } from './constraints.ts';

/**
 * The statement that recreates the relation. For a table it has the same columns, index, partitions and
 * options; its indexes have statements of their own in `indexes`. Secrets in views and URLs become `***`,
 * because every reader of its rows may see this text.
 */
export function ddlOf(relation: RelationObject, schema: string, snapshot: Snapshot): string {
  switch (relation.kind) {
    case 'table':
      return tableDdl(relation, schema, snapshot);
    case 'view':
      return viewDdl(relation, schema);
    case 'external_table':
      return externalTableDdl(relation, schema, snapshot);
  }
}

const fullName = (schema: string, name: string): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

function tableDdl(table: TableObject, schema: string, snapshot: Snapshot): string {
  const indexed = table.primaryIndex.map((id) => table.columns.find((c) => c.id === id)!.name);
  const clauses = [
    indexed.length === 0 ? '' : `PRIMARY INDEX ${indexed.map(quoteIdentifier).join(', ')}`,
    table.partitionBy.length === 0 ? '' : `PARTITION BY ${table.partitionBy.join(', ')}`,
    table.indexGranularity === DEFAULT_GRANULARITY
      ? ''
      : `WITH (index_granularity = ${table.indexGranularity})`,
    tableLocation(table, snapshot),
  ].filter((clause) => clause !== '');
  const constraints = (table.constraints ?? []).map(
    (constraint) =>
      `CONSTRAINT ${quoteIdentifier(constraint.name)} ${constraintDefinition(constraint, table, snapshot)}`,
  );
  const head = `CREATE ${table.tableType} TABLE ${fullName(schema, table.name)} (${columnList(table.columns, constraints)})`;
  return [head, ...clauses].join('\n');
}

function tableLocation({ location, locationId }: TableObject, snapshot: Snapshot): string {
  const named = locationId === undefined ? undefined : snapshot.object(locationId);
  if (named !== undefined) return `LOCATION = ${quoteIdentifier(named.name)}`;
  return location === undefined ? '' : `LOCATION ${quoteText(location)}`;
}

function viewDdl(view: ViewObject, schema: string): string {
  const names =
    view.columnNames === undefined ? '' : ` (${view.columnNames.map(quoteIdentifier).join(', ')})`;
  return `CREATE VIEW ${fullName(schema, view.name)}${names} AS ${redactedQuery(view.sql)}`;
}

/** Only known options of the format are included, so that credentials are not shown. */
function externalTableDdl(table: ExternalTableObject, schema: string, snapshot: Snapshot): string {
  const options = Object.entries(table.options)
    .filter(([name]) => EXTERNAL_TABLE_OPTIONS.values.includes(name))
    .map(([name, value]) => `${name.toUpperCase()} = ${quoteText(value)}`);
  const location = table.locationId === undefined ? undefined : snapshot.object(table.locationId);
  const clauses = [
    location === undefined
      ? `URL = ${quoteText(redactedUrl(table.url))}`
      : `LOCATION = ${quoteIdentifier(location.name)}`,
    ...(table.objectPattern === undefined ? [] : [`OBJECT_PATTERN = ${quoteText(table.objectPattern)}`]),
    `TYPE = (${[table.format, ...options].join(' ')})`,
  ];
  const head = `CREATE EXTERNAL TABLE ${fullName(schema, table.name)} (${columnList(table.columns)})`;
  return [head, ...clauses].join('\n');
}

function columnList(columns: readonly Column[], constraints: readonly string[] = []): string {
  const definitions = columns.map(({ name, type, declared, nullable, defaultSql, identity }) => {
    const constraint = nullable ? '' : ' NOT NULL';
    const generated = identity && ` GENERATED ${identity === 'always' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`;
    const byDefault = generated ?? (defaultSql === undefined ? '' : ` DEFAULT ${defaultSql}`);
    return `${quoteIdentifier(name)} ${declared ?? dialectTypeName(columnType(type))}${byDefault}${constraint}`;
  });
  return `\n  ${[...definitions, ...constraints].join(',\n  ')}\n`;
}
