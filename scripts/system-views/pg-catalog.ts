/** What the page says about a relation of `pg_catalog` that has rows. */
interface RelationText {
  readonly description: string;
  /** The rows that a user sees. */
  readonly rows: string;
}

const OBJECTS = 'objects that the user may see, and the system relations';
const TABLES = 'tables, views and external tables that the user may see';
const EVERYBODY = 'the same for all users';
const ROLES =
  'users and roles that the user may see, and the owners of objects that the user may see; without authentication also the user name that the client gave';

/** Relations with rows. A relation that is missing here, or has no rows any more, fails the generator. */
export const RELATIONS: Readonly<Record<string, RelationText>> = {
  pg_am: {
    description: 'Access methods of indexes: `btree`, `primary`, `aggregating`, `skip`.',
    rows: EVERYBODY,
  },
  pg_attrdef: { description: 'Column defaults; `adbin` is the expression as text.', rows: TABLES },
  pg_attribute: { description: 'Columns of everything in `pg_class`.', rows: OBJECTS },
  pg_auth_members: { description: 'Memberships of users and roles in roles.', rows: ROLES },
  pg_class: {
    description:
      'Tables (`relkind` `r`), views (`v`), external tables (`f`), indexes (`i`), sequences (`S`) and system relations. `reltuples` is the exact number of rows that are not deleted.',
    rows: OBJECTS,
  },
  pg_collation: { description: 'Collations; text is compared by bytes, as in `C`.', rows: EVERYBODY },
  pg_constraint: {
    description:
      'PRIMARY KEY (`contype` `p`), UNIQUE (`u`), FOREIGN KEY (`f`) and CHECK (`c`) constraints. [Only CHECK is enforced](../statements.md#constraints). NOT NULL is in `pg_attribute.attnotnull`.',
    rows: TABLES,
  },
  pg_database: { description: 'Databases of the engine.', rows: 'databases that the user may see' },
  pg_description: { description: 'Descriptions of relations and schemas.', rows: OBJECTS },
  pg_foreign_data_wrapper: {
    description: 'One row, `files`, if the user may see an external table.',
    rows: TABLES,
  },
  pg_foreign_server: {
    description: 'One row, `files`, if the user may see an external table.',
    rows: TABLES,
  },
  pg_foreign_table: { description: 'External tables.', rows: TABLES },
  pg_group: { description: 'Roles with their members.', rows: ROLES },
  pg_index: {
    description:
      'The primary index as `<table>_primary_index`, aggregating and skip indexes, and one index (method `btree`) for each PRIMARY KEY and UNIQUE constraint. A primary key that is also the primary index is shown once.',
    rows: 'indexes of tables that the user may see',
  },
  pg_indexes: {
    description: 'The same as `pg_index`, by name and with the definition.',
    rows: 'indexes of tables that the user may see',
  },
  pg_init_privs: {
    description: 'Privileges on the system schemas that exist from the start.',
    rows: EVERYBODY,
  },
  pg_language: { description: 'Languages of functions.', rows: EVERYBODY },
  pg_namespace: {
    description: 'Schemas of the database, including `pg_catalog` and `information_schema`.',
    rows: 'schemas that the user may see',
  },
  pg_prepared_statements: {
    description: 'Statements that the connection has prepared.',
    rows: 'those of the connection',
  },
  pg_proc: {
    description:
      'The functions of [functions.md](functions.md), one row for each signature, and the input and output functions of types. `prosrc` is the signature.',
    rows: EVERYBODY,
  },
  pg_rewrite: { description: 'One row for each view.', rows: TABLES },
  pg_roles: {
    description: 'Users and roles. Grants are in `relacl`, `nspacl` and `datacl` of the objects.',
    rows: ROLES,
  },
  pg_sequence: { description: 'Parameters of sequences.', rows: 'sequences that the user may see' },
  pg_sequences: {
    description: 'The same as `pg_sequence`, by name.',
    rows: 'sequences that the user may see',
  },
  pg_settings: { description: 'Parameters that PostgreSQL clients read.', rows: EVERYBODY },
  pg_shdescription: { description: 'Descriptions of databases.', rows: 'databases that the user may see' },
  pg_stat_activity: {
    description: 'Queries that are running on this node. Connections without a running query are not listed.',
    rows: 'the user’s own queries; those of all users with `READ ANY HISTORY`',
  },
  pg_stat_all_tables: {
    description: '`n_live_tup` and `n_dead_tup` are exact row counts; all other counters are 0.',
    rows: TABLES,
  },
  pg_stat_user_tables: { description: 'The same as `pg_stat_all_tables`.', rows: TABLES },
  pg_tables: { description: 'Tables.', rows: TABLES },
  pg_tablespace: { description: '`pg_default` and `pg_global`.', rows: EVERYBODY },
  pg_timezone_names: {
    description: 'Time zones that `timezone` and `AT TIME ZONE` accept.',
    rows: EVERYBODY,
  },
  pg_type: {
    description:
      'PostgreSQL’s base types and their arrays, with PostgreSQL’s OIDs, and the composite types of the rows of tables and views, which no column has. Columns of type struct are `json`, as in results.',
    rows: EVERYBODY,
  },
  pg_user: { description: 'Users.', rows: ROLES },
  pg_views: { description: 'Views with their definitions; credentials are masked.', rows: TABLES },
};
