import { fail } from '@tessera/common';
import { internalCall, kernelCall, listType, operatorCall } from '../functions/expressions.ts';
import { POSTGRES_VERSION_TEXT, settingValue } from '../functions/postgres-settings.ts';
import { patternWith } from '../functions/regex.ts';
import { matchesNothing } from '../functions/regex-groups.ts';
import type { Arity } from '../functions/types.ts';
import { and, call, caseOf, cast, constant, type Expression, operator, stringLiteral } from '../tree.ts';
import { LIMITED_FUNCTIONS } from './limited-functions.ts';
import { coalesced, concatenated, isFound, type Lookup, lookedUp } from './lookup.ts';
import type { PostgresFunction } from './postgres-function.ts';
import { privilegeFunctions } from './privileges.ts';
import { formattedType, REG_TYPES, regValue } from './reg-types.ts';
import { POSTGRES_SQL_FUNCTIONS } from './sql-functions.ts';
import { CURRENT_TRANSACTION } from './system-columns.ts';

/**
 * The session takes the lock before the query runs and replaces the arguments by the outcome:
 * `pg_try_advisory_lock(7)` arrives here as `pg_try_advisory_lock(true)`, `pg_advisory_lock(7)` as
 * `pg_advisory_lock()`. Calls with other arguments occur only if the query is described and not run.
 */
const answered = (isVoid: boolean): PostgresFunction => ({
  arity: [0, 2],
  rewrite: ([first], { sessionValues }) => {
    if (sessionValues.protocol !== 'postgres') {
      const hint = 'Connect by the PostgreSQL protocol.';
      return fail('NOT_SUPPORTED', {
        what: 'An advisory lock over HTTP, which has no session to hold it,',
        hint,
      });
    }
    if (isVoid) return constant('');
    return first !== undefined && isBoolean(first) ? first : cast(constant(null), 'BOOLEAN');
  },
});

const isBoolean = (node: Expression): boolean => node.class === 'CAST' && node.cast_type.id === 'BOOLEAN';

const LOCKS = ['', 'xact_'].flatMap((of) => ['', '_shared'].map((mode) => [of, mode] as const));

const advisoryLockFunctions: Readonly<Record<string, PostgresFunction>> = Object.fromEntries([
  ...LOCKS.flatMap(([of, mode]) => [
    [`pg_advisory_${of}lock${mode}`, answered(true)],
    [`pg_try_advisory_${of}lock${mode}`, answered(false)],
  ]),
  ['pg_advisory_unlock', answered(false)],
  ['pg_advisory_unlock_shared', answered(false)],
  ['pg_advisory_unlock_all', answered(true)],
]);

/** The number of arguments for which the test is true. */
const nullCount = (test: 'OPERATOR_IS_NULL' | 'OPERATOR_IS_NOT_NULL'): PostgresFunction => ({
  arity: [1, 100],
  rewrite: (args) =>
    args
      .map((value): Expression => cast(operator(test, value), 'INTEGER'))
      .reduce((sum, one) => cast(operatorCall('+', sum, one), 'INTEGER')),
});

const always = (value: Expression, arity: Arity = [0, 3]): PostgresFunction => ({
  arity,
  rewrite: () => value,
});

/** NULL if an argument is, as the functions of PostgreSQL's catalog are. */
const strict = ({ arity, rewrite }: PostgresFunction): PostgresFunction => ({
  arity,
  rewrite: (args, context) => {
    const conditions = args
      .filter((argument) => !isValue(argument))
      .map((argument) => operator('OPERATOR_IS_NOT_NULL', argument));
    const value = rewrite(args, context);
    return conditions.length === 0 ? value : caseOf([[and(...conditions), value]], constant(null));
  },
});

/** Whether the node is a literal other than NULL. */
const isValue = (node: Expression): boolean =>
  node.class === 'CAST' ? isValue(node.child) : node.class === 'CONSTANT' && !node.value.is_null;

const alwaysStrict = (value: Expression, arity: Arity): PostgresFunction => strict(always(value, arity));

const NO_INT = cast(constant(null), 'INTEGER');
const NO_TEXT = cast(constant(null), 'VARCHAR');
const NO_LIST = cast(constant(null), listType('VARCHAR'));
const NO_OIDS = cast(constant(null), listType('UINTEGER'));
const bigint = (value: bigint): Expression => cast(constant(value), 'BIGINT');

const macro = (name: string, arity: Arity): PostgresFunction => ({
  arity,
  rewrite: (args) => internalCall(name, ...args),
});

const found = (lookup: Lookup, arity: Arity = [1, 1]): PostgresFunction => ({
  arity,
  rewrite: ([key]) => lookedUp(lookup, cast(key!, 'UINTEGER')),
});

/** A function of a relation, given by its name or OID. */
const ofRelation = (lookup: Lookup, arity: Arity): PostgresFunction => ({
  arity,
  rewrite: ([relation]) => lookedUp(lookup, regValue(REG_TYPES.regclass!, relation!, 'error')),
});

/** The bits of PostgreSQL for INSERT, UPDATE and DELETE. */
const ALL_CHANGES = 28;
const isTable = (relation: Expression): Expression =>
  operator('OPERATOR_IS_NULL', lookedUp('view_definition', regValue(REG_TYPES.regclass!, relation, 'error')));

const toReg = (type: string): PostgresFunction => ({
  arity: [1, 1],
  rewrite: ([text]) => regValue(REG_TYPES[type]!, text!, 'null'),
});

const VISIBLE = [
  'pg_collation_is_visible',
  'pg_conversion_is_visible',
  'pg_function_is_visible',
  'pg_opclass_is_visible',
  'pg_operator_is_visible',
  'pg_opfamily_is_visible',
  'pg_statistics_obj_is_visible',
  'pg_ts_config_is_visible',
  'pg_ts_dict_is_visible',
  'pg_ts_parser_is_visible',
  'pg_ts_template_is_visible',
  'pg_type_is_visible',
];

/** Lookups of kinds of objects that the engine does not have; they find nothing. */
const NEVER_DEFINED = [
  'pg_get_functiondef',
  'pg_get_function_arg_default',
  'pg_get_function_sqlbody',
  'pg_get_partition_constraintdef',
  'pg_get_partkeydef',
  'pg_get_ruledef',
  'pg_get_statisticsobjdef',
  'pg_get_statisticsobjdef_columns',
  'pg_get_statisticsobjdef_expressions',
  'pg_get_triggerdef',
  'pg_relation_filepath',
  'inet_client_addr',
  'inet_server_addr',
];

const STARTED_AT = new Date(Date.now() - process.uptime() * 1000).toISOString();

const each = (names: readonly string[], of: PostgresFunction) =>
  Object.fromEntries(names.map((name) => [name, of] as const));

/** The functions by name. Calls may qualify them with the schema `pg_catalog`. */
export const POSTGRES_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  ...each(VISIBLE, alwaysStrict(constant(true), [1, 1])),
  ...each(NEVER_DEFINED, always(NO_TEXT)),
  ...privilegeFunctions,
  ...POSTGRES_SQL_FUNCTIONS,
  ...LIMITED_FUNCTIONS,
  acldefault: {
    arity: [2, 2],
    rewrite: ([kind, owner]) =>
      internalCall(
        'pg_acldefault',
        cast(kind!, 'VARCHAR'),
        internalCall('pg_quote_ident', lookedUp('role_name', cast(owner!, 'UINTEGER'))),
      ),
  },
  /** The age of a transaction; that of a time is the kernel's. */
  age: {
    arity: [1, 1],
    rewrite: ([transaction]) =>
      caseOf([[operator('OPERATOR_IS_NOT_NULL', transaction!), cast(constant(0), 'INTEGER')]], NO_INT),
  },
  array_length: {
    arity: [1, 2],
    rewrite: ([list, dimension]) =>
      dimension === undefined ? call('len', list!) : internalCall('pg_array_upper', list, dimension),
  },
  array_lower: macro('pg_array_lower', [2, 2]),
  array_remove: macro('pg_array_remove', [2, 2]),
  array_upper: macro('pg_array_upper', [2, 2]),
  col_description: always(NO_TEXT, [2, 2]),
  current_schema: always(constant('public'), [0, 0]),
  current_schemas: {
    arity: [1, 1],
    rewrite: ([implicit]) => searchPath(implicit!),
  },
  current_setting: {
    arity: [1, 2],
    rewrite: ([name], { settings }) => {
      const literal = stringLiteral(name!) ?? '';
      const known = literal.toLowerCase() === 'timezone' ? settings.timezone : settingValue(literal);
      return known === undefined
        ? lookedUp('setting', kernelCall('lower', cast(name!, 'VARCHAR')))
        : constant(known);
    },
  },
  format_type: {
    arity: [2, 2],
    rewrite: ([oid, modifier]) => formattedType(cast(oid!, 'UINTEGER'), modifier!),
  },
  getdatabaseencoding: always(constant('UTF8'), [0, 0]),
  inet_client_port: always(NO_INT, [0, 0]),
  inet_server_port: always(NO_INT, [0, 0]),
  obj_description: {
    arity: [1, 2],
    rewrite: ([oid, catalog = constant('pg_class')]) =>
      lookedUp('description', concatenated(catalog, constant('/'), oid!)),
  },
  parse_ident: macro('pg_parse_ident', [1, 2]),
  ...advisoryLockFunctions,
  pg_backend_pid: always(constant(1), [0, 0]),
  pg_blocking_pids: alwaysStrict(cast(call('list_value'), listType('INTEGER')), [1, 1]),
  pg_char_to_encoding: alwaysStrict(constant(6), [1, 1]),
  pg_client_encoding: always(constant('UTF8'), [0, 0]),
  pg_database_size: {
    arity: [1, 1],
    rewrite: ([database]) => lookedUp('database_bytes', cast(database!, 'VARCHAR')),
  },
  pg_encoding_to_char: macro('pg_encoding_name', [1, 1]),
  pg_get_constraintdef: found('constraint_definition', [1, 2]),
  pg_get_expr: { arity: [2, 3], rewrite: ([text]) => cast(text!, 'VARCHAR') },
  pg_get_function_arguments: found('routine_arguments'),
  pg_get_function_identity_arguments: found('routine_arguments'),
  pg_get_function_result: found('routine_result'),
  pg_get_indexdef: {
    arity: [1, 3],
    rewrite: ([oid, column]) => lookedUp('index_definition', indexKey(oid!, column)),
  },
  pg_get_userbyid: strict({
    arity: [1, 1],
    rewrite: ([oid]) =>
      coalesced(
        lookedUp('role_name', cast(oid!, 'UINTEGER')),
        concatenated(constant('unknown (OID='), oid!, constant(')')),
      ),
  }),
  pg_get_serial_sequence: {
    arity: [2, 2],
    rewrite: ([table, column]) =>
      lookedUp(
        'serial_sequence',
        operatorCall(
          '||',
          concatenated(regValue(REG_TYPES.regclass!, table!, 'error'), constant('/')),
          cast(column!, 'VARCHAR'),
        ),
      ),
  },
  pg_get_viewdef: ofRelation('view_definition', [1, 2]),
  pg_index_column_has_property: alwaysStrict(constant(false), [3, 3]),
  pg_index_has_property: alwaysStrict(constant(false), [2, 2]),
  pg_indexam_has_property: alwaysStrict(constant(false), [2, 2]),
  pg_indexes_size: alwaysStrict(bigint(0n), [1, 1]),
  pg_is_in_recovery: always(constant(false), [0, 0]),
  pg_is_other_temp_schema: alwaysStrict(constant(false), [1, 1]),
  pg_is_wal_replay_paused: always(constant(false), [0, 0]),
  pg_my_temp_schema: always(cast(constant(0), 'UINTEGER'), [0, 0]),
  pg_partition_ancestors: { arity: [1, 1], rewrite: () => call('unnest', NO_OIDS) },
  pg_postmaster_start_time: always(cast(constant(STARTED_AT), 'TIMESTAMP WITH TIME ZONE'), [0, 0]),
  pg_column_is_updatable: strict({ arity: [3, 3], rewrite: ([relation]) => isTable(relation!) }),
  pg_relation_is_updatable: strict({
    arity: [2, 2],
    rewrite: ([relation]) =>
      caseOf([[isTable(relation!), cast(constant(ALL_CHANGES), 'INTEGER')]], cast(constant(0), 'INTEGER')),
  }),
  pg_relation_is_publishable: alwaysStrict(constant(false), [1, 1]),
  pg_relation_size: ofRelation('relation_bytes', [1, 2]),
  pg_size_pretty: macro('pg_size_pretty', [1, 1]),
  pg_stat_get_numscans: alwaysStrict(bigint(0n), [1, 1]),
  pg_table_is_visible: strict({
    arity: [1, 1],
    rewrite: ([oid]) => isFound('relation_visible', cast(oid!, 'UINTEGER')),
  }),
  pg_table_size: ofRelation('relation_bytes', [1, 1]),
  pg_tablespace_location: alwaysStrict(constant(''), [1, 1]),
  pg_tablespace_size: alwaysStrict(bigint(0n), [1, 1]),
  pg_total_relation_size: ofRelation('relation_bytes', [1, 1]),
  regexp_split_to_array: { arity: [2, 3], rewrite: splitByPattern },
  num_nonnulls: nullCount('OPERATOR_IS_NOT_NULL'),
  num_nulls: nullCount('OPERATOR_IS_NULL'),
  overlay: macro('pg_overlay', [3, 4]),
  regexp_split_to_table: {
    arity: [2, 3],
    rewrite: (args) => call('unnest', splitByPattern(args)),
  },
  string_to_table: {
    arity: [2, 3],
    rewrite: (args) => call('unnest', call('string_to_array', ...args)),
  },
  quote_ident: macro('pg_quote_ident', [1, 1]),
  quote_literal: macro('pg_quote_literal', [1, 1]),
  quote_nullable: {
    arity: [1, 1],
    rewrite: ([value]) => coalesced(internalCall('pg_quote_literal', value), constant('NULL')),
  },
  /** The endpoint manages session settings; within a query there is nothing to set. */
  set_config: { arity: [3, 3], rewrite: ([, value]) => cast(value!, 'VARCHAR') },
  shobj_description: {
    arity: [2, 2],
    rewrite: ([oid, catalog]) => lookedUp('description', concatenated(catalog!, constant('/'), oid!)),
  },
  to_json: macro('json_of', [1, 1]),
  to_regclass: toReg('regclass'),
  to_regnamespace: toReg('regnamespace'),
  to_regproc: toReg('regproc'),
  to_regrole: toReg('regrole'),
  to_regtype: toReg('regtype'),
  txid_current: always(CURRENT_TRANSACTION, [0, 0]),
};

/** Functions that behave differently if qualified with `pg_catalog`. */
export const QUALIFIED_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  version: always(constant(POSTGRES_VERSION_TEXT), [0, 0]),
};

function searchPath(implicit: Expression): Expression {
  return caseOf(
    [
      [implicit, listOf('pg_catalog', 'public')],
      [operator('OPERATOR_NOT', implicit), listOf('public')],
    ],
    NO_LIST,
  );
}

const listOf = (...items: readonly string[]): Expression =>
  call('list_value', ...items.map((item) => constant(item)));

/** Column 0 means the whole index. */
function indexKey(oid: Expression, column: Expression | undefined): Expression {
  if (column === undefined) return cast(oid, 'VARCHAR');
  return concatenated(oid, constant('/'), column);
}

function splitByPattern([text, pattern, flags]: readonly Expression[]): Expression {
  const literal = stringLiteral(pattern!);
  const name = literal !== undefined && matchesNothing(literal) ? 'pg_regexp_pieces' : 'pg_regexp_split';
  return internalCall(name, text, patternWith(pattern, flags));
}
