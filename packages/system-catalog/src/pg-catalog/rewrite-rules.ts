import type { SystemRelation } from '../facts/system-relation.ts';
import { type PostgresFacts, userRelations } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

/** `pg_rewrite`: each view has the rule `_RETURN`. */
export const rewriteRules = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_rewrite',
    [...userRelations(facts)]
      .filter(({ relation }) => relation.kind === 'view')
      .map(({ oid, relation }) => ({
        oid: facts.oids.ofName(`rule ${relation.id}`),
        rulename: '_RETURN',
        ev_class: oid,
        ev_type: '1',
        ev_enabled: 'O',
        is_instead: true,
      })),
  );
