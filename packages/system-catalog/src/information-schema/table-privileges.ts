import { PRIVILEGES_ON } from '@tessera/access-control';
import { PUBLIC_ROLE } from '@tessera/catalog';
import { relationsOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemValue } from '../facts/system-relation.ts';
import { shownGrants } from './access.ts';

const COLUMNS = columnsOf(
  'grantor',
  'grantee',
  'table_catalog',
  'table_schema',
  'table_name',
  'privilege_type',
  'is_grantable',
  'with_hierarchy',
);

/** As in PostgreSQL, owners have every privilege, and `public` is written PUBLIC. */
export const tablePrivileges = (facts: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: rows(facts),
});

/** The same without grants to everybody. */
export const roleTableGrants = (facts: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: rows(facts).filter(([, grantee]) => grantee !== 'PUBLIC'),
});

function* rows(facts: SystemFacts): Generator<readonly SystemValue[]> {
  for (const { schema, relation } of relationsOfDatabase(facts)) {
    const table = [facts.database, schema.name, relation.name];
    const { owner } = relation;
    if (facts.rights.isOwner(relation)) {
      for (const privilege of PRIVILEGES_ON[relation.kind])
        yield [owner, owner, ...table, privilege, 'YES', hierarchy(privilege)];
    }
    for (const { grantee, granteeName, grantor, privilege, grantable } of shownGrants(facts, relation)) {
      const name = grantee === PUBLIC_ROLE.id ? 'PUBLIC' : granteeName;
      yield [grantor, name, ...table, privilege, grantable ? 'YES' : 'NO', hierarchy(privilege)];
    }
  }
}

const hierarchy = (privilege: string): string => (privilege === 'SELECT' ? 'YES' : 'NO');
