import { relationsOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue, TIME } from '../facts/system-relation.ts';

const COLUMNS = columnsOf(
  'table_catalog',
  'table_schema',
  'table_name',
  'tablet_id',
  'layout',
  ['number_of_rows', 'BIGINT'],
  ['deleted_rows', 'BIGINT'],
  ['compressed_bytes', 'BIGINT'],
  ['uncompressed_bytes', 'BIGINT'],
  ['granules', 'BIGINT'],
  'partition',
  'object_key',
  ['schema_version', 'BIGINT'],
  ['created', TIME],
);

/**
 * `number_of_rows` counts the rows that are not deleted; `partition` is a JSON array of the expressions'
 * values.
 */
export const tablets = (facts: SystemFacts): SystemRelation => ({ columns: COLUMNS, rows: rows(facts) });

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  const { snapshot, database } = facts;
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    if (relation.kind !== 'table') continue;
    for (const tablet of snapshot.tablets(relation.id)) {
      const deleted = snapshot.deletionVector(relation.id, tablet.id)?.rows ?? 0;
      yield [
        database,
        schema.name,
        relation.name,
        tablet.id,
        tablet.layout,
        tablet.rows - deleted,
        deleted,
        tablet.bytes,
        tablet.uncompressedBytes,
        tablet.granules,
        tablet.partition.length === 0 ? null : JSON.stringify(tablet.partition),
        tablet.key,
        tablet.schemaVersion,
        new Date(tablet.createdAt),
      ];
    }
  }
}
