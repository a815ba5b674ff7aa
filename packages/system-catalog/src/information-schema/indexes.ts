import type { TableIndex, TableObject } from '@tessera/catalog';
import { quoteIdentifier } from '@tessera/sql';
import { relationsOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';

const COLUMNS = columnsOf(
  'table_catalog',
  'table_schema',
  'table_name',
  'index_name',
  'index_type',
  'index_definition',
  'ddl',
  ['created', TIME],
  ['number_of_tablets', 'BIGINT'],
  ['number_of_rows', 'BIGINT'],
  ['compressed_bytes', 'BIGINT'],
  ['rows_without_index', 'BIGINT'],
);

/** The primary index of a table has the table's name. */
export const indexes = (facts: SystemFacts): SystemRelation => ({ columns: COLUMNS, rows: rows(facts) });

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    if (relation.kind !== 'table') continue;
    const head = [facts.database, schema.name, relation.name];
    if (relation.primaryIndex.length > 0) {
      const definition = `(${primaryColumns(relation).map(quoteIdentifier).join(', ')})`;
      yield [...head, relation.name, 'primary', definition, null, new Date(relation.createdAt), ...NO_SIZE];
    }
    for (const index of relation.indexes) {
      const definition = `(${index.expressions.join(', ')})`;
      const ddl = indexDdl(index, `${quoteIdentifier(schema.name)}.${quoteIdentifier(relation.name)}`);
      yield [
        ...head,
        index.name,
        index.kind,
        definition,
        ddl,
        new Date(index.createdAt),
        ...sizeOf(facts, relation, index),
      ];
    }
  }
}

/** The primary index and skip indexes of the type minmax store nothing of their own. */
const NO_SIZE = [null, null, null, null];

function sizeOf(
  { snapshot }: SystemFacts,
  table: TableObject,
  { partials }: TableIndex,
): readonly SystemValue[] {
  if (partials === undefined) return NO_SIZE;
  const { tablets, rows, bytes } = snapshot.totals(partials.id);
  const covered = new Set(snapshot.tablets(partials.id).map(({ partialOf }) => partialOf?.tabletId));
  const without = snapshot
    .tablets(table.id)
    .filter(({ id }) => !covered.has(id))
    .map((tablet) => tablet.rows - (snapshot.deletionVector(table.id, tablet.id)?.rows ?? 0));
  return [tablets, rows, bytes, without.reduce((sum, one) => sum + one, 0)];
}

const primaryColumns = (table: TableObject): readonly string[] =>
  table.primaryIndex.map((id) => table.columns.find((c) => c.id === id)!.name);

function indexDdl({ kind, name, expressions, filter }: TableIndex, table: string): string {
  const list = `(${expressions.join(', ')})`;
  return kind === 'aggregating'
    ? `CREATE AGGREGATING INDEX ${quoteIdentifier(name)} ON ${table} ${list}`
    : `CREATE INDEX ${quoteIdentifier(name)} ON ${table} USING SKIP_INDEX${list} WITH (${filterOptions(filter)})`;
}

function filterOptions(filter: TableIndex['filter']): string {
  if (filter === undefined) return 'TYPE = minmax';
  return filter.kind === 'set'
    ? `TYPE = set, MAX_VALUES = ${filter.maxValues}`
    : `TYPE = bloom_filter, FALSE_POSITIVE_RATE = ${filter.falsePositiveRate}`;
}
