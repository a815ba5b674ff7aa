import type { SystemRelation } from '../facts/system-relation.ts';
import type { PostgresFacts } from './postgres-facts.ts';
import { roleOid } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

/** `pg_stat_activity`: the running queries of this node. Idle connections are not shown. */
export const activity = (facts: PostgresFacts): SystemRelation => {
  const { snapshot, database, oids } = facts;
  const owner = snapshot.database(database);
  return catalogRelation(
    'pg_stat_activity',
    facts.running.map((query, index) => ({
      datid: owner === undefined ? 0 : oids.of(owner.id),
      datname: database,
      pid: index + 1,
      usesysid: roleOid(facts, query.user),
      usename: query.user,
      application_name: query.label,
      backend_start: query.submittedAt,
      xact_start: query.startedAt,
      query_start: query.startedAt,
      state_change: query.startedAt,
      state: 'active',
      query: query.text,
      backend_type: 'client backend',
    })),
  );
};
