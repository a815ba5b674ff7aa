import type { Column, RelationObject } from '@tessera/catalog';
import { dialectTypeName, namesIn, type SqlType, shownType } from '@tessera/sql';
import { type PostgresType, typedColumn } from '../facts/postgres-types.ts';
import { relationsOfDatabase } from '../facts/relations-of-database.ts';
import { shownDefault } from '../facts/shown-default.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue } from '../facts/system-relation.ts';
import { STANDARD_COLUMNS, standardColumn } from './standard-column.ts';

const COLUMNS = columnsOf(
  'table_catalog',
  'table_schema',
  'table_name',
  'column_name',
  ['ordinal_position', 'INTEGER'],
  'column_default',
  'is_nullable',
  'data_type',
  ['numeric_precision', 'INTEGER'],
  ['numeric_precision_radix', 'INTEGER'],
  ['numeric_scale', 'INTEGER'],
  ['datetime_precision', 'INTEGER'],
  'is_in_primary_index',
  'is_in_partition_expr',
).concat(STANDARD_COLUMNS);

/** Columns of tables, external tables and views. */
export function columns(facts: SystemFacts): SystemRelation {
  return { columns: COLUMNS, rows: rows(facts) };
}

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    const head = [facts.database, schema.name, relation.name];
    if (relation.kind === 'view') {
      for (const [index, { name, type, nullable }] of (facts.viewColumns.get(relation.id) ?? []).entries()) {
        const place = { schema: schema.name, relation: relation.name };
        yield readOnlyColumn({ name, type, nullable }, index + 1, place, facts);
      }
      continue;
    }
    const partitioned = partitionColumns(relation);
    const indexed = relation.kind === 'table' ? relation.primaryIndex : [];
    for (const [index, column] of relation.columns.entries()) {
      const type = shownType(column);
      yield [
        ...head,
        column.name,
        index + 1,
        column.defaultSql && shownDefault(column.defaultSql),
        yesNo(column.nullable),
        dataType(type, facts),
        ...precision(type),
        yesNo(indexed.includes(column.id)),
        yesNo(partitioned.has(column)),
        ...standardColumn(facts.database, {
          type,
          place: index + 1,
          isUpdatable: relation.kind === 'table',
          identity: column.identity,
        }),
      ];
    }
  }
}

export interface ReadOnlyColumn {
  readonly name: string;
  readonly type: SqlType;
  /** The type for PostgreSQL clients, if it does not follow from `type`. */
  readonly postgresType?: PostgresType;
  readonly nullable: boolean;
}

/** The row of a column that no statement writes: that of a view, or of a relation of the system. */
export const readOnlyColumn = (
  { name, type, postgresType, nullable }: ReadOnlyColumn,
  position: number,
  { schema, relation }: { readonly schema: string; readonly relation: string },
  facts: SystemFacts,
): readonly SystemValue[] => [
  ...[facts.database, schema, relation, name, position, null, yesNo(nullable)],
  ...[dataType(type, facts, postgresType), ...precision(type), 'NO', 'NO'],
  ...standardColumn(facts.database, { type, postgresType, place: position, isUpdatable: false }),
];

/**
 * PostgreSQL's type names do not include precision, scale and element type, which have columns of their own.
 */
function dataType(
  type: SqlType,
  { protocol }: SystemFacts,
  postgresType: PostgresType = typedColumn(type).type,
): string {
  if (protocol !== 'postgres') return dialectTypeName(type);
  return postgresType.isArray ? 'ARRAY' : postgresType.sqlName;
}

const yesNo = (value: boolean): string => (value ? 'YES' : 'NO');

function partitionColumns(relation: Exclude<RelationObject, { kind: 'view' }>): ReadonlySet<Column> {
  if (relation.kind !== 'table') return new Set();
  const names = new Set(relation.partitionBy.flatMap((expression) => namesIn(expression)));
  return new Set(relation.columns.filter((column) => names.has(column.name)));
}

/** The precision, its radix, the scale and the fractional digits of seconds, as PostgreSQL reports them. */
function precision(type: SqlType): readonly SystemValue[] {
  switch (type.kind) {
    case 'int':
      return [type.postgres === 'int2' ? 16 : 32, 2, 0, null];
    case 'long':
      return [64, 2, 0, null];
    case 'float':
      return [24, 2, null, null];
    case 'double':
      return [53, 2, null, null];
    case 'decimal':
      return [type.precision, 10, type.scale, null];
    case 'timestamp':
    case 'timestamptz':
      return [null, null, null, type.length ?? 6];
    case 'date':
      return [null, null, null, 0];
    default:
      return [null, null, null, null];
  }
}
