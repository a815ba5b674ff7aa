import { type PlacedSequence, sequencesOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { aclOf } from './acl.ts';
import { type PostgresFacts, roleOid, schemaOid } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

const TYPE_OIDS = { INTEGER: 23, BIGINT: 20 } as const;

/** The rows of `pg_class` for sequences. */
export function* sequenceClasses(facts: PostgresFacts): Generator<Row> {
  for (const { schema, sequence } of sequencesOfDatabase(facts)) {
    yield {
      oid: facts.oids.of(sequence.id),
      relname: sequence.name,
      relnamespace: schemaOid(facts, schema),
      relowner: roleOid(facts, sequence.owner),
      relkind: 'S',
      relnatts: 0,
      relacl: aclOf(sequence, facts.snapshot),
    };
  }
}

/** `pg_sequence`. */
export const sequenceNumbers = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_sequence',
    sequencesOfDatabase(facts).map(({ sequence }) => ({
      seqrelid: facts.oids.of(sequence.id),
      seqtypid: TYPE_OIDS[sequence.type],
      seqstart: sequence.start,
      seqincrement: sequence.increment,
      seqmax: sequence.max,
      seqmin: sequence.min,
      seqcache: sequence.cache,
      seqcycle: sequence.cycle,
    })),
  );

/** `pg_sequences`. */
export const sequences = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_sequences',
    sequencesOfDatabase(facts).map(({ schema, sequence }) => ({
      schemaname: schema.name,
      sequencename: sequence.name,
      sequenceowner: sequence.owner,
      data_type: TYPE_OIDS[sequence.type],
      start_value: sequence.start,
      min_value: sequence.min,
      max_value: sequence.max,
      increment_by: sequence.increment,
      cycle: sequence.cycle,
      cache_size: sequence.cache,
      last_value: lastReserved({ sequence }),
    })),
  );

/**
 * The last value that a node has reserved, which may not have been used yet. Null if no node has reserved
 * one.
 */
function lastReserved({ sequence }: Pick<PlacedSequence, 'sequence'>): string | null {
  const { next, start, increment } = sequence;
  return next === start ? null : String(BigInt(next) - BigInt(increment));
}
