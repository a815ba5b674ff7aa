import type { SystemRelation } from '../information-schema/system-relation.ts';
import { ADMIN_OID, type PostgresFacts, userRelations } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

const WRAPPER = 8011;
const SERVER = 8012;

/** `pg_foreign_table`: external tables. Their URLs stay with `information_schema.tables`. */
export const foreignTables = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_foreign_table',
    [...userRelations(facts)]
      .filter(({ relation }) => relation.kind === 'external_table')
      .map(({ oid }) => ({ ftrelid: oid, ftserver: SERVER })),
  );

/** `pg_foreign_server`. */
export const foreignServers = (): SystemRelation =>
  catalogRelation('pg_foreign_server', [
    { oid: SERVER, srvname: 'files', srvowner: ADMIN_OID, srvfdw: WRAPPER },
  ]);

/** `pg_foreign_data_wrapper`. */
export const foreignDataWrappers = (): SystemRelation =>
  catalogRelation('pg_foreign_data_wrapper', [
    { oid: WRAPPER, fdwname: 'files', fdwowner: ADMIN_OID, fdwhandler: 0, fdwvalidator: 0 },
  ]);
