/** What the page says about a view of `information_schema`. */
interface ViewText {
  readonly description: string;
  /** The rows that a user sees. */
  readonly rows: string;
  /** Columns that COMMON does not describe, or that mean something else in this view. */
  readonly columns?: Readonly<Record<string, string>>;
}

const OBJECTS = 'objects of the current database that the user owns or has a privilege on';
const RELATIONS = `${OBJECTS}, and the relations of \`information_schema\` and \`pg_catalog\``;
const QUERIES = 'the user’s own queries; those of all users with `READ ANY HISTORY`';
const EVERYBODY = 'the same for all users';
const NONE = 'always empty';
const PRINCIPALS =
  'the user itself and the roles it has, directly or through other roles; all users and roles for users with the privilege `CREATE ROLE`';

/** Groups of views, in the order of the page. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, ViewText>>>> = {
  'Tables, views and columns': {
    tables: {
      description: 'Tables, views and external tables, with sizes and the statement that recreates each.',
      rows: RELATIONS,
      columns: {
        table_type: '`BASE TABLE`, `VIEW`, `EXTERNAL`, or `LOCAL TEMPORARY` for temporary tables and views',
        type: '`FACT` or `DIMENSION`; NULL for views, external tables and relations of the system',
        primary_index: 'columns of the primary index, separated by commas; NULL if there is none',
        number_of_rows:
          'rows that are not deleted; NULL for views, external tables and relations of the system',
        uncompressed_bytes: 'size of the rows before compression',
        compression_ratio: '`uncompressed_bytes` divided by `compressed_bytes`',
        number_of_tablets: 'tablets of the table',
        fragmentation: 'percentage of stored rows that are deleted; `VACUUM` removes them',
        ddl: 'the statement that recreates the table or view; NULL for relations of the system',
        is_insertable_into: '`YES` for tables, `NO` for views and external tables',
        is_typed: 'always `NO`',
      },
    },
    columns: {
      description: 'Columns of tables, external tables and views.',
      rows: 'columns of the tables and views that `tables` shows to the user',
      columns: {
        column_default: 'the default as an SQL expression',
        is_nullable: '`NO` for NOT NULL columns',
        data_type:
          'the type: over HTTP the dialect’s name (`numeric(10, 2)`, `array(text)`), over PostgreSQL PostgreSQL’s name (`numeric`, `ARRAY`)',
        numeric_precision: 'digits of a `NUMERIC`; bits of other numbers',
        numeric_precision_radix: 'unit of `numeric_precision`: 10 for digits, 2 for bits',
        numeric_scale: 'digits after the decimal point',
        datetime_precision: 'digits of fractional seconds: 6 for timestamps, 0 for dates',
        is_in_primary_index: '`YES` if the primary index contains the column',
        is_in_partition_expr: '`YES` if an expression of `PARTITION BY` uses the column',
        character_maximum_length: 'declared length of `VARCHAR(n)` and `CHAR(n)`',
        character_octet_length: 'greatest size of a text in bytes',
        udt_catalog: 'database of the type',
        udt_schema: 'always `pg_catalog`',
        udt_name: 'PostgreSQL’s internal name of the type, such as `int8`',
        dtd_identifier: 'position of the column, as text',
        is_self_referencing: 'always `NO`',
        is_identity: '`YES` for identity columns',
        identity_generation: '`ALWAYS` or `BY DEFAULT` for identity columns',
        identity_cycle: 'always `NO`',
        is_generated: 'always `NEVER`',
        is_updatable: '`YES` for columns of tables',
      },
    },
    views: {
      description: 'Views and their definitions. Credentials in definitions are masked as `***`.',
      rows: RELATIONS,
      columns: {
        view_definition: 'the query of the view; NULL for views of the system',
        check_option: 'always `NONE`',
        is_updatable: 'always `NO`',
        is_insertable_into: 'always `NO`',
        is_trigger_updatable: 'always `NO`',
        is_trigger_deletable: 'always `NO`',
        is_trigger_insertable_into: 'always `NO`',
      },
    },
    indexes: {
      description: 'Primary, aggregating and skip indexes.',
      rows: 'indexes of the tables that `tables` shows to the user',
      columns: {
        index_name: 'name of the index; a primary index has the name of its table',
        index_type: '`primary`, `aggregating` or `skip`',
        index_definition: 'columns and expressions in parentheses',
        ddl: 'the statement that recreates the index; NULL for a primary index',
        number_of_tablets:
          'tablets of the table that an aggregating index has partial rows of, or a skip index filters; NULL for indexes that store nothing',
        number_of_rows: 'partial rows of an aggregating index, or granules that a skip index has filters of',
        compressed_bytes: 'size of the partial rows or filters',
        rows_without_index:
          'rows of the table in tablets without partial rows or filters, which queries read themselves',
      },
    },
    tablets: {
      description: 'The immutable files in which tables are stored.',
      rows: 'tablets of the tables that `tables` shows to the user',
      columns: {
        tablet_id: 'ULID of the tablet',
        layout: 'layout of the file: `wide`, `compact` or `subcompact`',
        number_of_rows: 'rows that are not deleted',
        deleted_rows: 'rows that a deletion vector marks as deleted',
        uncompressed_bytes: 'size of the rows before compression',
        granules: 'groups of rows that the primary index can skip',
        partition: 'values of the partition expressions, as a JSON array; NULL without `PARTITION BY`',
        object_key: 'key of the file in the bucket or the data directory',
        schema_version: 'version of the table’s columns with which the tablet was written',
      },
    },
    sequences: {
      description: 'Sequences, including those of `SERIAL` and identity columns.',
      rows: OBJECTS,
      columns: {
        sequence_catalog: 'database of the sequence',
        sequence_schema: 'schema of the sequence',
        sequence_name: 'name of the sequence',
        data_type: '`bigint` or `integer`',
        numeric_precision: 'bits of the type: 32 or 64',
        numeric_precision_radix: 'always 2',
        numeric_scale: 'always 0',
        start_value: 'first value',
        minimum_value: 'least value',
        maximum_value: 'greatest value',
        increment: 'difference between values',
        cycle_option: '`YES` if the sequence starts again at its end',
      },
    },
    locations: {
      description: 'Locations for external data. Credentials are never shown.',
      rows: OBJECTS,
      columns: {
        location_catalog: 'database of the location',
        location_name: 'name of the location',
        location_source: 'kind of storage, such as `AMAZON_S3`',
        url: 'the URL, with secrets masked as `***`',
      },
    },
    schemata: {
      description: 'Schemas of the current database, with `information_schema` and `pg_catalog`.',
      rows: `${OBJECTS}, and the system schemas`,
    },
    catalogs: {
      description: 'Databases of the engine.',
      rows: 'databases that the user owns or has a privilege on',
    },
    databases: {
      description: 'The same as `catalogs`, under the names that older Firebolt clients use.',
      rows: 'databases that the user owns or has a privilege on',
    },
  },
  'Queries and transactions': {
    engine_running_queries: {
      description: 'Queries that are running or waiting for admission, on all nodes of the engine.',
      rows: QUERIES,
      columns: {
        status: '`RUNNING`, or `SUSPENDED` while the query waits for admission',
        duration_us: 'microseconds since the start',
        node_name: 'node that coordinates the query',
        stages: 'stages of the distributed plan; 0 for a query that runs on one node',
        stages_finished: 'stages that have finished',
        tasks: 'tasks of all stages',
        percent:
          'part of the work of the running statement that is done, 0 to 100; it never decreases; NULL if unknown',
        tasks_finished: 'tasks that have finished',
        nodes: 'nodes that work on the query',
        rows_read: 'rows of tables and files read so far, approximately',
        bytes_read: 'bytes of tables and files read so far, approximately',
      },
    },
    queries: {
      description:
        'Queries that are running on the engine, then those that have ended (see `engine_query_history`), the newest first.',
      rows: QUERIES,
      columns: {
        status:
          '`RUNNING`, `SUSPENDED` while the query waits for admission, `ENDED_SUCCESSFULLY`, `FAILED` or `CANCELED`',
        duration_us: 'microseconds from start to end, or until now',
        node_name: 'node that coordinates or coordinated the query',
        percent: 'part of the work that is done, 0 to 100; NULL if unknown',
      },
    },
    engine_query_history: {
      description:
        'Finished queries of all nodes, the oldest first: the latest 20,000, or fewer if their texts exceed 16 Mi characters. The history is kept in the object store for seven days; it outlives processes and nodes. A query of another node appears after at most five seconds; a node that is killed loses as much.',
      rows: QUERIES,
      columns: {
        status: '`ENDED_SUCCESSFULLY`, `FAILED` or `CANCELED`',
        duration_us: 'microseconds from start to end',
        node_name: 'node that coordinated the query',
      },
    },
    engine_user_query_history: {
      description:
        'The same as `engine_query_history` without what clients send by themselves: `SET`, `SHOW`, and statements that name `information_schema`.',
      rows: QUERIES,
      columns: {
        status: '`ENDED_SUCCESSFULLY`, `FAILED` or `CANCELED`',
        duration_us: 'microseconds from start to end',
        node_name: 'node that coordinated the query',
      },
    },
    transactions: {
      description: 'Open transactions of this node.',
      rows: 'the user’s own transactions; those of all users with `READ ANY HISTORY`',
      columns: {
        transaction_id: 'id that HTTP requests of the transaction send',
        last_used_time: 'when the latest statement of the transaction was received',
        status: '`open`, or `aborted` after an error until it is rolled back',
        read_version: 'version of the catalog that the transaction reads',
        statements: 'statements executed so far',
      },
    },
  },
  'Engine and nodes': {
    engines: {
      description:
        'The engine, and the other engines of an instance of several (`instance.type: multi_engine`), one row each.',
      rows: EVERYBODY,
      columns: {
        status: '`RUNNING`, or `DRAINING` if all nodes are shutting down',
        nodes: 'nodes that take part in queries now',
        version: 'version of the first of these nodes',
        started: 'when that node started',
        description: 'always NULL',
        url: 'always NULL; kept for Firebolt clients',
        attached_to: 'always NULL; an engine serves every database',
      },
    },
    nodes: {
      description:
        'The nodes that the configuration names, as this node sees them, and those of the other clusters and engines of the instance, as a node of theirs sees them.',
      rows: EVERYBODY,
      columns: {
        node_name: 'name of the node: its host and `distexec_port`; the host name if there is no cluster',
        host: 'host of the node',
        status:
          '`RUNNING`, `DRAINING`, `LOST`, `UNKNOWN` or `REFUSED` ([meaning](../cluster.md#monitoring-and-control))',
        version: 'version of the node; NULL if it has not responded, or if there is no cluster',
        started: 'when the process of the node started',
        reason: 'why the node takes no part in queries',
      },
    },
    engine_configuration: {
      description:
        'Parameters of the configuration file as they are in effect on the node that is asked ([meaning](../configuration.md)).',
      rows: 'all rows for administrators, none for others',
      columns: {
        parameter: 'path of the parameter in the file',
        value:
          'value as it would be written in the file; secrets are masked, references to secrets are shown; NULL if there is none',
        is_set: 'whether the file sets it; otherwise the value is the default',
        description: 'meaning of the parameter',
        node_name: 'name of the node that is asked',
      },
    },
    engine_metrics_history: {
      description:
        'Samples of the resource use of all nodes, the oldest first, the latest 20,000: each node takes twelve in a minute (`engine.metrics_collection_frequency_per_minute`). They are kept in the object store for seven days. Those of another node appear after at most a minute.',
      rows: EVERYBODY,
      columns: {
        event_time: 'when the sample was taken',
        node: 'name of the node, as in `nodes.node_name`',
        cpu_used: 'share of all processors in use, 0 to 1',
        memory_used: 'bytes of memory that the processes of the node use',
        disk_used: 'bytes that the node’s data uses on the local disk',
        cache_hit_ratio:
          'share of tablet requests since the previous sample that the cache answered; NULL if there were none',
        spilled_bytes: 'bytes that queries have written to disk for lack of memory',
        running_queries: 'queries that were running',
        suspended_queries: 'queries that were waiting for admission',
      },
    },
  },
  'Users, roles and privileges': {
    users: {
      description: 'Users. Passwords are not shown in any form.',
      rows: PRINCIPALS,
      columns: {
        default_database: 'database of sessions that name none',
        default_engine: 'the engine',
        is_enabled: '`NO` for users that may not log in',
        has_password: '`YES` if the user has a password',
      },
    },
    roles: { description: 'Roles.', rows: PRINCIPALS },
    role_members: {
      description: 'Memberships of users and roles in roles.',
      rows: 'memberships of the users and roles that `users` and `roles` show',
      columns: {
        member: 'user or role that is a member',
        is_grantable: '`YES` if the member may add members (`WITH ADMIN OPTION`)',
      },
    },
    applicable_roles: {
      description: 'Memberships that give roles to the current user.',
      rows: 'the user’s own',
      columns: {
        grantee: 'the user or a role of the user',
        is_grantable: '`YES` if the grantee may add members (`WITH ADMIN OPTION`)',
      },
    },
    enabled_roles: {
      description: 'Roles of the current user; everyone has `public`.',
      rows: 'the user’s own',
    },
    object_privileges: {
      description: 'Privileges on databases, schemas, tables, views, locations and the engine.',
      rows: 'grants on objects that the user owns, and grants that the user or its roles gave or received',
      columns: {
        object_catalog: 'database of the object; NULL for the engine',
        object_schema: 'schema of the object, for tables and views',
        object_name: 'name of the object',
        object_type: '`database`, `schema`, `table`, `view`, `location` or `engine`',
        privilege_type: 'privilege, such as `SELECT`; `OWNERSHIP` stands for everything that an owner may do',
      },
    },
    table_privileges: {
      description: 'Privileges on tables and views, as PostgreSQL shows them.',
      rows: 'grants on objects that the user owns, and grants that the user or its roles gave or received',
    },
    role_table_grants: {
      description: 'The same as `table_privileges` without what is granted to everybody.',
      rows: 'grants on objects that the user owns, and grants that the user or its roles gave or received',
    },
    column_privileges: {
      description: 'Privileges on columns do not exist.',
      rows: NONE,
    },
  },
  Constraints: {
    table_constraints: {
      description: 'PRIMARY KEY, UNIQUE, FOREIGN KEY and CHECK constraints. Only CHECK is enforced.',
      rows: 'constraints of the tables that `tables` shows to the user',
      columns: {
        constraint_type: '`PRIMARY KEY`, `UNIQUE`, `FOREIGN KEY` or `CHECK`',
        is_deferrable: 'always `NO`',
        initially_deferred: 'always `NO`',
        enforced: '`YES` for CHECK, `NO` for the others',
        nulls_distinct: '`YES` for UNIQUE constraints',
      },
    },
    check_constraints: {
      description: 'Conditions of CHECK constraints.',
      rows: 'constraints of the tables that `tables` shows to the user',
      columns: { check_clause: 'the condition' },
    },
    key_column_usage: {
      description: 'Columns of PRIMARY KEY, UNIQUE and FOREIGN KEY constraints.',
      rows: 'constraints of the tables that `tables` shows to the user',
      columns: {
        ordinal_position: 'position of the column in the constraint, from 1',
        position_in_unique_constraint: 'for foreign keys, position of the column in the referenced key',
      },
    },
    constraint_column_usage: {
      description: 'Columns that constraints use; for a foreign key, the columns that it references.',
      rows: 'constraints of the tables that `tables` shows to the user',
    },
    constraint_table_usage: {
      description: 'Tables that constraints use; for a foreign key, the table that it references.',
      rows: 'constraints of the tables that `tables` shows to the user',
    },
    referential_constraints: {
      description: 'FOREIGN KEY constraints with the key that each references.',
      rows: 'constraints of the tables that `tables` shows to the user',
      columns: {
        unique_constraint_catalog: 'database of the referenced key',
        unique_constraint_schema: 'schema of the referenced key',
        unique_constraint_name: 'name of the referenced key',
        match_option: 'always `NONE`',
        update_rule: '`ON UPDATE` action, recorded but not executed',
        delete_rule: '`ON DELETE` action, recorded but not executed',
      },
    },
  },
  'Functions and the SQL standard': {
    routines: {
      description: 'The functions of [functions.md](functions.md), one row for each signature.',
      rows: EVERYBODY,
      columns: {
        routine_catalog: 'the current database',
        routine_schema: 'always `information_schema`',
        routine_name: 'name of the function, or an alias',
        routine_type: 'always `FUNCTION`',
        routine_category: 'category, such as `string`',
        routine_signature: 'arguments and result',
        routine_description: 'what the function returns',
        routine_example: 'an example',
        specific_catalog: 'the current database',
        specific_schema: 'always `information_schema`',
        specific_name: 'name that is unique for each signature',
        data_type: 'type of the result',
        routine_body: 'always `EXTERNAL`',
        routine_definition: 'always NULL',
        external_language: 'always `INTERNAL`',
        is_deterministic: 'always NULL',
      },
    },
    information_schema_catalog_name: {
      description: 'The current database: one row.',
      rows: EVERYBODY,
      columns: { catalog_name: 'the current database' },
    },
    character_sets: {
      description: 'The one character set, UTF-8.',
      rows: EVERYBODY,
      columns: {
        character_set_catalog: 'always NULL',
        character_set_schema: 'always NULL',
        character_set_name: 'always `UTF8`',
        character_repertoire: 'always `UCS`',
        form_of_use: 'always `UTF8`',
        default_collate_catalog: 'the current database',
        default_collate_schema: 'always `pg_catalog`',
        default_collate_name: 'always `C`',
      },
    },
    collations: {
      description: 'The one collation, `C`: text is compared by bytes.',
      rows: EVERYBODY,
      columns: {
        collation_catalog: 'the current database',
        collation_schema: 'always `pg_catalog`',
        collation_name: 'always `C`',
        pad_attribute: 'always `NO PAD`',
      },
    },
    domains: { description: 'Domains do not exist.', rows: NONE },
    element_types: {
      description: 'Element types of arrays are part of `columns.data_type` instead.',
      rows: NONE,
    },
    parameters: {
      description: 'Parameters of functions are part of `routines.routine_signature` instead.',
      rows: NONE,
    },
    triggers: { description: 'Triggers do not exist.', rows: NONE },
    view_table_usage: { description: 'Which tables views use is not recorded.', rows: NONE },
  },
};

/** Columns that mean the same in every view. */
const COMMON: Readonly<Record<string, string>> = {
  cluster_id: '`engine.cluster_id` of the cluster that the row comes from; NULL if the engine has only one',
  table_catalog: 'database of the table',
  table_schema: 'schema of the table',
  table_name: 'name of the table or view',
  column_name: 'name of the column',
  ordinal_position: 'position of the column, from 1',
  table_owner: 'owner',
  user_owner: 'owner',
  role_owner: 'owner',
  catalog_owner: 'owner',
  database_owner: 'owner',
  schema_owner: 'owner',
  location_owner: 'owner',
  description: 'description, if one was given',
  created: 'when the object was created',
  last_altered: 'when the object was last changed',
  compressed_bytes: 'stored size',
  catalog_name: 'name of the database',
  database_name: 'name of the database',
  schema_name: 'name of the schema',
  role_name: 'name of the role',
  user_name: 'name of the user',
  engine_name: 'name of the engine (`engine.id`)',
  grantor: 'who gave the privilege or membership',
  grantee: 'who has the privilege; `PUBLIC` stands for everyone',
  privilege_type: 'privilege, such as `SELECT`',
  is_grantable: '`YES` if the grantee may pass the privilege on (`WITH GRANT OPTION`)',
  with_hierarchy: '`YES` for `SELECT`',
  constraint_catalog: 'database of the constraint',
  constraint_schema: 'schema of the constraint',
  constraint_name: 'name of the constraint',
  submitted_time: 'when the query was received',
  start_time: 'when the query or transaction started; NULL while a query waits for admission',
  query_id: 'id of the query, as in the response and in the log',
  request_id: 'id of the HTTP request',
  query_label: 'label from the setting `query_label`',
  query_text: 'the statement, with secrets masked',
  scanned_rows: 'rows read from tables and files',
  scanned_bytes: 'bytes read from tables and files',
  inserted_rows: 'rows written to tables',
  inserted_bytes: 'bytes written to tables',
  retries: 'how often the engine has repeated the query, or tasks of it',
  end_time: 'when the query ended',
  error_message: 'why the query failed; NULL if it succeeded',
  scanned_cache_bytes: 'bytes read from memory and the local disk',
  scanned_storage_bytes: 'bytes read from the object store',
  spilled_bytes: 'bytes written to disk for lack of memory',
  returned_rows: 'rows of the result',
  returned_bytes: 'bytes of the result as sent',
  time_in_queue_us: 'microseconds spent waiting for admission',
  from_result_cache:
    'whether the result was taken from the result cache; of a request with several statements, whether one was',
  query_text_normalized: 'the statement with `?` in place of literals',
};

/** Columns of the SQL standard that are always NULL. */
export const RESERVED: ReadonlySet<string> = new Set([
  'self_referencing_column_name',
  'reference_generation',
  'user_defined_type_catalog',
  'user_defined_type_schema',
  'user_defined_type_name',
  'commit_action',
  'interval_type',
  'interval_precision',
  'character_set_catalog',
  'character_set_schema',
  'character_set_name',
  'collation_catalog',
  'collation_schema',
  'collation_name',
  'domain_catalog',
  'domain_schema',
  'domain_name',
  'scope_catalog',
  'scope_schema',
  'scope_name',
  'maximum_cardinality',
  'identity_start',
  'identity_increment',
  'identity_maximum',
  'identity_minimum',
  'generation_expression',
  'default_character_set_catalog',
  'default_character_set_schema',
  'default_character_set_name',
  'sql_path',
]);

/** What a column contains; undefined if that is not described. Views that are always empty need no description. */
export const columnText = (view: ViewText, column: string): string | undefined =>
  view.columns?.[column] ?? COMMON[column] ?? (view.rows === NONE ? '' : undefined);
