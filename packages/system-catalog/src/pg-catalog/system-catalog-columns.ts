import { unlimitedRights } from '@tessera/access-control';
import { CatalogState } from '@tessera/catalog';
import type { SystemFacts } from '../facts/system-facts.ts';
import { RELATIONS_WITH_ROWS } from './pg-catalog.ts';
import { INFORMATION_SCHEMA_OID } from './postgres-facts.ts';
import { systemRelations } from './system-relations.ts';

/** A relation of `information_schema` or `pg_catalog`, as the reference pages list it. */
export interface SystemCatalogRelation {
  readonly schema: 'information_schema' | 'pg_catalog';
  readonly name: string;
  /** False for PostgreSQL's relations that are always empty here. */
  readonly hasRows: boolean;
  /** The types as PostgreSQL clients see them, such as `timestamp with time zone`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The relations that every database has. Their columns do not depend on the contents of the database. */
export const systemCatalogRelations = (): readonly SystemCatalogRelation[] =>
  systemRelations(EMPTY_NODE).map(({ schemaOid, name, columns }) => ({
    schema: schemaOid === INFORMATION_SCHEMA_OID ? 'information_schema' : 'pg_catalog',
    name,
    hasRows: schemaOid === INFORMATION_SCHEMA_OID || RELATIONS_WITH_ROWS.includes(name),
    columns: columns.map((column) => ({ name: column.name, type: column.type.sqlName })),
  }));

const USER = 'tessera';

const EMPTY_NODE: SystemFacts = {
  snapshot: CatalogState.empty,
  database: 'tessera',
  user: USER,
  preparedStatements: [],
  rights: unlimitedRights(USER),
  viewColumns: new Map(),
  configuration: [],
  isVisible: () => true,
  engine: '',
  transactions: [],
  running: [],
  elsewhere: [],
  cluster: undefined,
  otherClusters: [],
  node: '',
  history: [],
  metrics: [],
  nodes: [],
};
