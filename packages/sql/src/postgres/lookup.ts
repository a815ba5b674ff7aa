import {
  type BaseTableRef,
  call,
  column,
  comparison,
  constant,
  type Expression,
  NO_LOCATION,
  operator,
  type SelectNode,
  type SubqueryNode,
} from '../tree.ts';

/** The schema of the relations that serve lookups. */
const LOOKUP_SCHEMA = 'pg_catalog';

/**
 * What can be looked up. Each is a relation of `pg_catalog` that the coordinator provides, with the columns
 * `$key` and `$value`. No user query can name these columns, so nothing in the key expression of a lookup is
 * mistaken for one of them. Keys are unique.
 */
export const LOOKUPS = [
  /** The name of a relation, in every way to write it → OID. */
  'relation_oid',
  /** OID → name, schema-qualified if the schema is not in the search path. */
  'relation_name',
  /** OID of a relation whose schema is in the search path → true. */
  'relation_visible',
  /** OID → size in bytes. */
  'relation_bytes',
  /** `OID of a relation/name or number of a column` → true. */
  'column_exists',
  'type_oid',
  'type_name',
  'namespace_oid',
  'namespace_name',
  'role_oid',
  'role_name',
  'routine_oid',
  'routine_name',
  /** OID → the result part of the signature, after the arrow. */
  'routine_result',
  /** OID → the parameter list of the signature, without parentheses. */
  'routine_arguments',
  /** OID or name of a database → size in bytes. */
  'database_bytes',
  /** OID of a view → its query. */
  'view_definition',
  /** OID of a constraint → its definition. */
  'constraint_definition',
  /** OID of an index, or `OID/number of the column` → its definition. */
  'index_definition',
  /** `OID of a table/name of a column` → the sequence that the column owns. */
  'serial_sequence',
  /** `pg_class/OID` → comment. */
  'description',
  /**
   * `relation/OID/SELECT`, `schema/OID/USAGE`, `database/OID/CREATE` → true if the user has the privilege.
   */
  'privilege',
  /** Setting name in lower case → value. */
  'setting',
] as const;

export type Lookup = (typeof LOOKUPS)[number];

/** The name of the relation that serves a lookup. */
export const lookupRelation = (lookup: Lookup): string => `$${lookup}`;

const KEY = '$key';
const VALUE = '$value';

/** Builds the lookup `(SELECT "$value" FROM pg_catalog."$lookup" WHERE "$key" = key)`. */
export function lookedUp(lookup: Lookup, key: Expression): SubqueryNode {
  const node: SelectNode = {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [column(VALUE)],
    from_table: systemTable(lookupRelation(lookup)),
    where_clause: comparison('COMPARE_EQUAL', column(KEY), key),
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    sample: null,
    qualify: null,
  };
  return {
    class: 'SUBQUERY',
    type: 'SUBQUERY',
    alias: '',
    query_location: NO_LOCATION,
    subquery_type: 'SCALAR',
    subquery: { node, named_param_map: [] },
    child: null,
    comparison_type: 'INVALID',
  };
}

export const systemTable = (name: string): BaseTableRef => ({
  type: 'BASE_TABLE',
  alias: '',
  sample: null,
  query_location: NO_LOCATION,
  catalog_name: '',
  schema_name: LOOKUP_SCHEMA,
  table_name: name,
  column_name_alias: [],
  at_clause: null,
});

export const coalesced = (...items: readonly Expression[]): Expression =>
  operator('OPERATOR_COALESCE', ...items);

export const concatenated = (...items: readonly Expression[]): Expression => call('concat', ...items);

/** Builds the condition that a lookup finds something. */
export const isFound = (lookup: Lookup, key: Expression): Expression =>
  coalesced(lookedUp(lookup, key), constant(false));
