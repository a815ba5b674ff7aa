import type { SystemRelation } from '../facts/system-relation.ts';
import { indexDefinition, type PostgresFacts, userIndexes } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

/** `pg_index`. PRIMARY KEY and UNIQUE are shown as unique, although the engine does not enforce them. */
export const indexes = (facts: PostgresFacts): SystemRelation => catalogRelation('pg_index', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  for (const { oid, table, kind, isPrimaryKey, places, expressions } of userIndexes(facts)) {
    const computed = expressions.filter((_, index) => places[index] === 0);
    yield {
      indexrelid: oid,
      indrelid: table.oid,
      indnatts: places.length,
      indnkeyatts: places.length,
      indisunique: kind === 'btree',
      indnullsnotdistinct: false,
      indisprimary: isPrimaryKey,
      indisexclusion: false,
      indimmediate: true,
      indisclustered: kind === 'primary',
      indisvalid: true,
      indcheckxmin: false,
      indisready: true,
      indislive: true,
      indisreplident: false,
      indkey: places,
      indcollation: places.map(() => 0),
      indclass: places.map(() => 0),
      indoption: places.map(() => 0),
      indexprs: computed.length === 0 ? null : computed.join(', '),
    };
  }
}

/** `pg_indexes`. */
export const indexDefinitions = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_indexes',
    [...userIndexes(facts)].map((index) => ({
      schemaname: index.table.schema.name,
      tablename: index.table.relation.name,
      indexname: index.name,
      indexdef: indexDefinition(index),
    })),
  );
