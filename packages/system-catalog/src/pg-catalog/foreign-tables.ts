import type { SystemRelation } from '../facts/system-relation.ts';
import { ADMIN_OID, type PostgresFacts, userRelations } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

const WRAPPER = 8011;
const SERVER = 8012;

/** `pg_foreign_table`: external tables. Their URLs are only in `information_schema.tables`. */
export const foreignTables = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_foreign_table',
    externalTables(facts).map(({ oid }) => ({ ftrelid: oid, ftserver: SERVER })),
  );

/**
 * `pg_foreign_server`: it has a row only if there are external tables, so that other dumps do not contain it.
 */
export const foreignServers = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_foreign_server',
    whereNeeded(facts, { oid: SERVER, srvname: 'files', srvowner: ADMIN_OID, srvfdw: WRAPPER }),
  );

/** `pg_foreign_data_wrapper`: it has a row under the same condition as the server. */
export const foreignDataWrappers = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_foreign_data_wrapper',
    whereNeeded(facts, {
      oid: WRAPPER,
      fdwname: 'files',
      fdwowner: ADMIN_OID,
      fdwhandler: 0,
      fdwvalidator: 0,
    }),
  );

const externalTables = (facts: PostgresFacts) =>
  [...userRelations(facts)].filter(({ relation }) => relation.kind === 'external_table');

const whereNeeded = (facts: PostgresFacts, row: Row): readonly Row[] =>
  externalTables(facts).length === 0 ? [] : [row];
