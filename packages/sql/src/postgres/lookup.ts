import {
  type BaseTableRef,
  call,
  column,
  constant,
  type Expression,
  NO_LOCATION,
  operator,
  type SelectNode,
  type SubqueryNode,
} from '../tree.ts';

/** Schema of the relations that functions look things up in. */
const LOOKUP_SCHEMA = 'pg_catalog';

/**
 * What can be looked up: relations of `pg_catalog` that the coordinator makes, with the columns `$key` and `$value`, which no
 * query of a user names, so that nothing in the key of a look-up is taken for a column of them. Keys are unique.
 */
export const LOOKUPS = [
  /** Text of a relation's name, in every way to write it → OID. */
  'relation_oid',
  /** OID → name, with its schema where that is not in the search path. */
  'relation_name',
  /** OIDs of relations whose schema is in the search path → true. */
  'relation_visible',
  /** OID → bytes. */
  'relation_bytes',
  'type_oid',
  'type_name',
  'namespace_oid',
  'namespace_name',
  'role_oid',
  'role_name',
  'routine_oid',
  'routine_name',
  /** OID → text after the arrow of the signature. */
  'routine_result',
  /** OID → text between the parentheses of the signature. */
  'routine_arguments',
  /** OID of a database, or its name → bytes. */
  'database_bytes',
  /** OID of a view → its query. */
  'view_definition',
  /** OID of a constraint → text. */
  'constraint_definition',
  /** OID of an index, or `OID/number of the column` → text. */
  'index_definition',
  /** `pg_class/OID` → text. */
  'description',
  /** `relation/OID/SELECT`, `schema/OID/USAGE`, `database/OID/CREATE` → true where the user has it. */
  'privilege',
  /** Name in lower case → value. */
  'setting',
] as const;

export type Lookup = (typeof LOOKUPS)[number];

/** The relation behind a look-up. */
export const lookupRelation = (lookup: Lookup): string => `$${lookup}`;

const KEY = '$key';
const VALUE = '$value';

/** `(SELECT "$value" FROM pg_catalog."$lookup" WHERE "$key" = key)`. */
export function lookedUp(lookup: Lookup, key: Expression): SubqueryNode {
  const node: SelectNode = {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [column(VALUE)],
    from_table: systemTable(lookupRelation(lookup)),
    where_clause: {
      class: 'COMPARISON',
      type: 'COMPARE_EQUAL',
      alias: '',
      query_location: NO_LOCATION,
      left: column(KEY),
      right: key,
    },
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

/** Whether something was found. */
export const isFound = (lookup: Lookup, key: Expression): Expression =>
  coalesced(lookedUp(lookup, key), constant(false));
