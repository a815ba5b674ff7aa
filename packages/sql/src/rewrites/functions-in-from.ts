import { fail } from '@tessera/common';
import { bareNameOf } from '../functions/bare-name.ts';
import { repeatedName } from '../functions/column-names.ts';
import { kernelCall, literalText, operatorCall } from '../functions/expressions.ts';
import { isTableFunction } from '../guard/functions.ts';
import { isReadFunction } from '../reads/read-arguments.ts';
import { JSON_OPERATORS } from '../text/json-operators.ts';
import { RECORD_FUNCTION, ROWS_FROM } from '../text/postgres-clauses.ts';
import {
  type BaseTableRef,
  type ColumnRefNode,
  call,
  caseOf,
  cast,
  column,
  constant,
  type Expression,
  type FunctionNode,
  NO_LOCATION,
  operator,
  type QueryLocation,
  type Statement,
  type SubqueryRef,
  selectAll,
  type TableFunctionRef,
  type TableRef,
  type TypeNode,
  transformTree,
  walkTree,
} from '../tree.ts';
import { isSeriesOfFractions } from './series-in-select.ts';

/**
 * Turns functions in FROM that the kernel only supports in select lists into subqueries, with PostgreSQL's
 * column names:
 *     FROM version() AS v             becomes   FROM (SELECT version() AS v) AS v
 *     FROM current_date               becomes   FROM (SELECT current_date) AS "current_date"
 *     FROM unnest(a, b) AS u(x, y)    becomes   FROM (SELECT unnest(a), unnest(b)) AS u(x, y)
 */
export const functionsInFrom = (statement: Statement, sourceAt: (at: QueryLocation) => string): Statement => {
  let named: ReadonlySet<string> | undefined;
  const isNamed = (name: string) => {
    named ??= namesIn(statement);
    return named.has(name);
  };
  return transformTree(statement, {
    tableRef: (node) => {
      if (node.type === 'TABLE_FUNCTION') return asSubquery(node, isNamed) ?? node;
      if (node.type !== 'BASE_TABLE' || sourceAt(node.query_location).startsWith('"')) return node;
      const word = wordOf(node);
      return word === undefined ? node : ofItems(node, word.alias, [word]);
    },
  });
};

/** The columns that a statement names, as `column` or `relation.column`, and the relations all of whose columns it names. */
function namesIn(statement: Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walkTree(statement, (node) => {
    if (!('class' in node)) return;
    if (node.class === 'COLUMN_REF') names.add(node.column_names.join('.').toLowerCase());
    if (node.class === 'STAR') names.add(node.relation_name.toLowerCase());
  });
  return names;
}

/** PostgreSQL's words for a value, such as `current_date`, which are no names of tables. */
function wordOf({
  table_name,
  schema_name,
  catalog_name,
  alias,
  query_location,
}: BaseTableRef): ColumnRefNode | undefined {
  const word = { ...column(table_name), alias: alias || table_name, query_location };
  return schema_name === '' && catalog_name === '' && bareNameOf(word) !== undefined ? word : undefined;
}

/** A subquery of FROM without a FROM of its own. */
const ofItems = (
  { sample, query_location, column_name_alias }: BaseTableRef | TableFunctionRef,
  alias: string,
  select_list: readonly Expression[],
): SubqueryRef => ({
  type: 'SUBQUERY',
  alias,
  sample,
  query_location,
  subquery: { node: { ...selectAll(NO_TABLE), select_list }, named_param_map: [] },
  column_name_alias,
});

type IsNamed = (name: string) => boolean;

function asSubquery(node: TableFunctionRef, isNamed: IsNamed): TableRef | undefined {
  const { function: called, alias, with_ordinality } = node;
  const inFrom = (name: string, items: readonly Expression[], column_name_alias: readonly string[]) =>
    ofItems({ ...node, column_name_alias }, alias || name, items);
  // The parser reads calls of ifnull and if as COALESCE and CASE.
  const written = called as Expression;
  if (written.class !== 'FUNCTION') {
    const name = written.class === 'CASE' ? 'case' : 'coalesce';
    return inFrom(name, [{ ...written, alias: alias || name }], node.column_name_alias);
  }
  const isRecord = RECORD_FUNCTION.test(called.function_name);
  const isList = called.function_name === ROWS_FROM;
  if (isRecord && with_ordinality === 'WITH_ORDINALITY')
    fail('NOT_SUPPORTED', { what: `WITH ORDINALITY of ${called.function_name}` });
  const [first] = called.children;
  const name = isList && first?.class === 'FUNCTION' ? first.function_name : called.function_name;
  const items = isRecord ? recordItems(node) : itemsOf(node, isNamed);
  if (items === undefined) {
    const isWhole = with_ordinality === 'WITH_ORDINALITY' && alias !== '' && isNamed(alias.toLowerCase());
    return isWhole ? ofRows(node) : undefined;
  }
  const numbered = with_ordinality === 'WITH_ORDINALITY' ? [...items, ordinality(node)] : items;
  return inFrom(name, numbered, isRecord ? [] : node.column_name_alias);
}

/**
 * `(SELECT * FROM unnest(a) WITH ORDINALITY AS x(v, n)) AS x(v, n)`: for the kernel, the numbers are another relation of the same
 * name, so that it refuses `x` and `x.*`.
 */
const ofRows = (node: TableFunctionRef): SubqueryRef => ({
  type: 'SUBQUERY',
  alias: node.alias,
  sample: node.sample,
  query_location: node.query_location,
  subquery: { node: selectAll({ ...node, sample: null }), named_param_map: [] },
  column_name_alias: node.column_name_alias,
});

/** The columns of the subquery; undefined for functions that the kernel supports in FROM. */
function itemsOf(
  { function: called, alias }: TableFunctionRef,
  isNamed: IsNamed,
): readonly Expression[] | undefined {
  if (called.function_name === ROWS_FROM) return rowsFrom(called, alias);
  const rows = jsonRows(called, alias, isNamed);
  if (rows !== undefined) return rows;
  if (isZip(called))
    return called.children.map((list, i) => ({ ...call('unnest', list), alias: repeatedName('unnest', i) }));
  if (isSeriesOfFractions(called))
    return [{ ...call('unnest', called), alias: alias || called.function_name }];
  if (isReadFunction(called.function_name.toLowerCase()) || isTableFunction(called)) return undefined;
  return [{ ...called, alias: alias || called.function_name }];
}

/** Functions with several columns. */
const OF_RECORDS = /^jsonb?_(?:each|each_text|to_record|to_recordset)$/;

/** The functions of ROWS FROM, which return their rows side by side, as those of a select list do. */
function rowsFrom({ children }: FunctionNode, alias: string): readonly Expression[] {
  return children.map((child) => {
    if (child.class !== 'FUNCTION' || OF_RECORDS.test(child.function_name))
      return fail('NOT_SUPPORTED', { what: 'ROWS FROM with anything other than functions of one column' });
    return { ...child, alias: children.length === 1 && alias !== '' ? alias : child.function_name };
  });
}

/**
 * `jsonb_to_record(d) AS r(a int, b jsonb)` → `(SELECT CAST(d ->> 'a' AS int) AS a, CAST(d -> 'b' AS jsonb) AS b) AS r`. The parser
 * gets the types as further arguments (`postgresClauses`).
 * @throws TesseraError SYNTAX_ERROR without a list of column definitions
 */
function recordItems({ function: called, column_name_alias }: TableFunctionRef): readonly Expression[] {
  const { function_name: name } = called;
  const [document, ...types] = called.children;
  if (document === undefined || types.length === 0 || types.length !== column_name_alias.length) {
    const message = `${name} needs a list of column definitions: ${name}(…) AS r(a integer, b text)`;
    return fail('SYNTAX_ERROR', { message });
  }
  const prefix = name.startsWith('jsonb') ? 'jsonb' : 'json';
  const row = name.endsWith('set')
    ? call(`${prefix}_array_elements`, document)
    : cast(document, typed(prefix));
  return column_name_alias.map((column, i) => {
    const type = types[i]!;
    if (type.class !== 'CAST') return fail('SYNTAX_ERROR', { message: `${name}: a type is expected` });
    const field = (symbol: '->' | '->>') => operatorCall(JSON_OPERATORS[symbol]!, row, constant(column));
    // JSON's null is NULL.
    const document = () =>
      caseOf([[operator('OPERATOR_IS_NOT_NULL', field('->>')), field('->')]], constant(null));
    return { ...type, child: isDocumentType(type.cast_type) ? document() : field('->>'), alias: column };
  });
}

const typed = (name: string): TypeNode => ({
  id: 'UNBOUND',
  type_info: { type: 'UNBOUND_TYPE_INFO', name, catalog: '', schema: '', user_type_modifiers: [] } as never,
});

const isDocumentType = ({ type_info }: TypeNode): boolean =>
  type_info?.type === 'UNBOUND_TYPE_INFO' && /^jsonb?$/i.test(type_info.name);

const JSON_ROWS = /^jsonb?_(?:(?:each|array_elements)(?:_text)?|object_keys)$/;

/**
 * The columns of `jsonb_each(x)` and its siblings, which PostgreSQL names `key` and `value`. In `FROM jsonb_array_elements(x) AS e`
 * both `e` and `e.value` are the element; the column has the name that the statement uses.
 */
function jsonRows(called: FunctionNode, alias: string, isNamed: IsNamed): readonly Expression[] | undefined {
  const name = called.function_name;
  if (!JSON_ROWS.test(name)) return undefined;
  if (name.includes('_each'))
    return ['key', 'value'].map((field) => ({
      ...kernelCall('struct_extract', called, constant(field)),
      alias: field,
    }));
  if (!name.includes('elements')) return [{ ...called, alias: alias || name }];
  const relation = alias.toLowerCase();
  const hasAlias = isNamed(relation) && !isNamed(`${relation}.value`);
  return [{ ...called, alias: hasAlias ? alias : 'value' }];
}

/**
 * Whether several arrays are unnested in parallel. Shorter arrays are padded with NULLs, as in a select list.
 */
const isZip = ({ function_name, children }: TableFunctionRef['function']): boolean =>
  function_name === 'unnest' && children.length > 1 && children.every(({ alias }) => alias === '');

/** The number of each row, counted from 1. */
function ordinality({ function: called }: TableFunctionRef): Expression {
  const numbers = kernelCall('range', constant(1), operatorCall('+', countOf(called), constant(1)));
  return { ...call('unnest', numbers), alias: 'ordinality' };
}

/** The number of rows that a function returns. */
function countOf(called: FunctionNode): Expression {
  const { function_name: name, children } = called;
  const [first] = children;
  if (name === ROWS_FROM) return kernelCall('greatest', ...children.map((child) => countOfListed(child)));
  if (isZip(called)) return kernelCall('greatest', ...children.map((list) => call('len', list)));
  if (JSON_ROWS.test(name))
    return name.includes('elements')
      ? kernelCall('json_array_length', first)
      : kernelCall('len', kernelCall('json_keys', first));
  switch (name) {
    case 'unnest':
      return call('len', first!);
    case 'generate_series':
      return call('len', called);
    case 'regexp_split_to_table':
      return call('len', call('regexp_split_to_array', ...children));
    case 'string_to_table':
      return call('len', call('string_to_array', ...children));
    case 'jsonb_path_query':
      return call('jsonb_array_length', call('jsonb_path_query_array', ...children));
    case 'regexp_matches':
      return matchCount(children);
    default:
      return constant(1);
  }
}

/** The rows of ROWS FROM are as many as those of its longest function. */
function countOfListed(child: Expression): Expression {
  const isKnown = child.class === 'FUNCTION' && !OF_RECORDS.test(child.function_name);
  return isKnown ? countOf(child) : fail('NOT_SUPPORTED', { what: 'WITH ORDINALITY of ROWS FROM' });
}

/** `regexp_matches` returns one row, or with the flag g one for each match. */
function matchCount([text, pattern, flags]: readonly Expression[]): Expression {
  const given = flags === undefined ? '' : literalText(flags);
  if (given?.includes('g') !== true) return constant(1);
  return call('regexp_count', text!, pattern!, constant(1), constant(given.replaceAll('g', '')));
}

const NO_TABLE: TableRef = { type: 'EMPTY', alias: '', sample: null, query_location: NO_LOCATION };
