import { quoteIdentifier } from '@tessera/sql';
import { type PlacedRelation, relationsOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';
import { ddlOf } from './ddl.ts';

const COLUMNS = columnsOf(
  'table_catalog',
  'table_schema',
  'table_name',
  'table_type',
  'type',
  'primary_index',
  ['number_of_rows', 'BIGINT'],
  ['compressed_bytes', 'BIGINT'],
  ['uncompressed_bytes', 'BIGINT'],
  ['compression_ratio', 'DOUBLE'],
  ['number_of_tablets', 'BIGINT'],
  ['fragmentation', 'DOUBLE'],
  'ddl',
  'table_owner',
  'description',
  ['created', TIME],
  ['last_altered', TIME],
  'self_referencing_column_name',
  'reference_generation',
  'user_defined_type_catalog',
  'user_defined_type_schema',
  'user_defined_type_name',
  'is_insertable_into',
  'is_typed',
  'commit_action',
);

const TABLE_TYPES = { table: 'BASE TABLE', view: 'VIEW', external_table: 'EXTERNAL' } as const;

/**
 * `compression_ratio` is uncompressed by compressed bytes; `fragmentation` is the percentage of deleted rows.
 */
export function tables(facts: SystemFacts): SystemRelation {
  return { columns: COLUMNS, rows: rows(facts) };
}

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const placed of relationsOfDatabase(facts)) {
    const { schema, relation } = placed;
    yield [
      facts.database,
      schema.name,
      relation.name,
      schema.temporaryOf === undefined ? TABLE_TYPES[relation.kind] : 'LOCAL TEMPORARY',
      ...contents(facts, placed),
      ddlOf(relation, schema.name, facts.snapshot),
      relation.owner,
      relation.description,
      new Date(relation.createdAt),
      new Date(relation.alteredAt),
      ...[null, null, null, null, null, relation.kind === 'table' ? 'YES' : 'NO', 'NO', null],
    ];
  }
}

/** The values from `type` to `fragmentation`. */
function contents({ snapshot }: SystemFacts, { relation }: PlacedRelation): readonly SystemValue[] {
  if (relation.kind !== 'table') return Array.from({ length: 8 }, () => null);
  const { tablets, rows: stored, deletedRows, bytes, uncompressedBytes } = snapshot.totals(relation.id);
  const index = relation.primaryIndex.map((id) => relation.columns.find((c) => c.id === id)!.name);
  return [
    relation.tableType,
    index.length === 0 ? null : index.map(quoteIdentifier).join(', '),
    stored - deletedRows,
    bytes,
    uncompressedBytes,
    bytes === 0 ? null : uncompressedBytes / bytes,
    tablets,
    stored === 0 ? 0 : (100 * deletedRows) / stored,
  ];
}
