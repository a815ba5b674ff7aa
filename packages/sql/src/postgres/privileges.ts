import { fail } from '@tessera/common';
import { and, call, caseOf, cast, constant, type Expression, operator, or, stringLiteral } from '../tree.ts';
import { concatenated, isFound, lookedUp } from './lookup.ts';
import type { PostgresFunction } from './postgres-function.ts';
import { REG_TYPES, regValue } from './reg-types.ts';

/**
 * `has_table_privilege([user,] table, 'SELECT, INSERT')`: tests the privileges of the session's user,
 * whatever user is named. One of several privileges is enough.
 */
const check = (kind: string, reg: string): PostgresFunction => ({
  arity: [2, 3],
  rewrite: (args) => {
    const [object, privileges] = args.slice(-2) as [Expression, Expression];
    const oid = regValue(REG_TYPES[reg]!, object, 'error');
    const one = (privilege: Expression) =>
      isFound('privilege', concatenated(constant(`${kind}/`), oid, constant('/'), privilege));
    const listed = stringLiteral(privileges)?.split(',');
    if (listed === undefined) return one(call('upper', privileges));
    const [first, ...rest] = listed.map((name) => one(constant(plainPrivilege(name))));
    return or(first!, ...rest);
  },
});

/**
 * The engine's privilege for a privilege of PostgreSQL: a user who may read a table may also reference it.
 */
const plainPrivilege = (name: string): string =>
  name
    .trim()
    .toUpperCase()
    .replace(/ WITH GRANT OPTION$/, '')
    .replace(/^(?:CONNECT|TEMP(?:ORARY)?)$/, 'USAGE')
    .replace(/^REFERENCES$/, 'SELECT');

/** A privilege on a column, which a name or a number gives, is a privilege on its table. NULL for a number that no column has. */
const ofColumn: PostgresFunction = {
  arity: [3, 4],
  rewrite: (args, context) => {
    const [table, of, privilege] = args.slice(-3) as [Expression, Expression, Expression];
    const oid = regValue(REG_TYPES.regclass!, table, 'error');
    const unknown = concatenated(
      constant('column "'),
      of,
      constant('" of relation "'),
      lookedUp('relation_name', oid),
      constant('" does not exist'),
    );
    const isName = operator('OPERATOR_IS_NULL', cast(of, 'INTEGER', true));
    return caseOf(
      [
        [
          isFound('column_exists', concatenated(oid, constant('/'), of)),
          check('relation', 'regclass').rewrite([table, privilege], context),
        ],
        [isName, call('error', unknown)],
      ],
      constant(null),
    );
  },
};

const database: PostgresFunction = {
  arity: [2, 3],
  rewrite: (args) => {
    const [name, privilege] = args.slice(-2) as [Expression, Expression];
    const text = stringLiteral(privilege);
    const word = text === undefined ? call('upper', privilege) : constant(plainPrivilege(text));
    return isFound(
      'privilege',
      concatenated(constant('database/'), cast(name, 'VARCHAR'), constant('/'), word),
    );
  },
};

const allowed: PostgresFunction = { arity: [2, 3], rewrite: () => constant(true) };

const ON_COLUMNS = 'SELECT INSERT UPDATE REFERENCES';

/** The privileges of PostgreSQL that each function knows. */
const KNOWN: Readonly<Record<string, string>> = {
  has_any_column_privilege: ON_COLUMNS,
  has_column_privilege: ON_COLUMNS,
  has_database_privilege: 'CREATE CONNECT TEMPORARY TEMP',
  has_foreign_data_wrapper_privilege: 'USAGE',
  has_function_privilege: 'EXECUTE',
  has_language_privilege: 'USAGE',
  has_schema_privilege: 'CREATE USAGE',
  has_sequence_privilege: 'USAGE SELECT UPDATE',
  has_server_privilege: 'USAGE',
  has_table_privilege: `${ON_COLUMNS} DELETE TRUNCATE TRIGGER`,
  has_tablespace_privilege: 'CREATE',
  has_type_privilege: 'USAGE',
  pg_has_role: 'MEMBER USAGE',
};

/** @throws TesseraError INVALID_ARGUMENT if the literal names a privilege that neither PostgreSQL nor the engine, which has VACUUM, knows */
function checkNames(name: string, privileges: Expression): void {
  const known = KNOWN[name]!.split(' ');
  for (const written of stringLiteral(privileges)?.split(',') ?? []) {
    const word = written
      .trim()
      .toUpperCase()
      .replace(/ WITH (?:GRANT|ADMIN) OPTION$/, '');
    if (!known.includes(word) && word !== 'VACUUM')
      fail('INVALID_ARGUMENT', { message: `unrecognized privilege type: ${JSON.stringify(written.trim())}` });
  }
}

const CHECKS: Readonly<Record<string, PostgresFunction>> = {
  has_any_column_privilege: check('relation', 'regclass'),
  has_column_privilege: ofColumn,
  has_database_privilege: database,
  has_foreign_data_wrapper_privilege: allowed,
  has_function_privilege: allowed,
  has_language_privilege: allowed,
  has_schema_privilege: check('schema', 'regnamespace'),
  has_sequence_privilege: allowed,
  has_server_privilege: allowed,
  has_table_privilege: check('relation', 'regclass'),
  has_tablespace_privilege: allowed,
  has_type_privilege: allowed,
  pg_has_role: allowed,
};

/** `f(a, b)` → `CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN f(a, b) END`. */
const strict = (name: string, { arity, rewrite }: PostgresFunction): PostgresFunction => ({
  arity,
  rewrite: (args, context) => {
    checkNames(name, args.at(-1)!);
    const [first, ...rest] = args
      .filter((arg) => stringLiteral(arg) === undefined)
      .map((arg): Expression => operator('OPERATOR_IS_NOT_NULL', arg));
    const answer = rewrite(args, context);
    if (first === undefined) return answer;
    return caseOf([[and(first, ...rest), answer]], constant(null));
  },
});

export const privilegeFunctions: Readonly<Record<string, PostgresFunction>> = Object.fromEntries(
  Object.entries(CHECKS).map(([name, check]) => [name, strict(name, check)]),
);
