import { JSON_OPERATORS } from '../text/json-operators.ts';
import { type Expression, type FunctionNode, type Statement, walkTree } from '../tree.ts';
import type { SqlType } from '../types/sql-type.ts';

const INT: SqlType = { kind: 'int' };
const DOUBLE: SqlType = { kind: 'double' };
const NUMERIC: SqlType = { kind: 'decimal', precision: 38, scale: 9 };
const PATH: SqlType = { kind: 'array', element: { kind: 'text' } };
const JSONB: SqlType = { kind: 'json', postgres: 'jsonb' };
const BYTEA: SqlType = { kind: 'bytea' };

/** The type of the argument if it is the only one, and those of all arguments if there are more. */
const ROUNDING = { one: [DOUBLE], more: [NUMERIC, INT] };
const OF_NUMBER = { one: [DOUBLE], more: [] };
const UPDATED = { one: [], more: [JSONB, PATH, JSONB] };
const OF_PATH = { one: [], more: [undefined, PATH] };
const WITH_COUNT = { one: [], more: [undefined, INT] };

interface ArgumentTypes {
  readonly one: readonly (SqlType | undefined)[];
  readonly more: readonly (SqlType | undefined)[];
}

/** The types of arguments that PostgreSQL prefers among those that the kernel's functions of the name accept. */
const ARGUMENTS: Readonly<Record<string, ArgumentTypes>> = {
  abs: OF_NUMBER,
  ceil: OF_NUMBER,
  ceiling: OF_NUMBER,
  floor: OF_NUMBER,
  sign: OF_NUMBER,
  round: ROUNDING,
  trunc: ROUNDING,
  quantile_cont: OF_NUMBER,
  quantile_disc: OF_NUMBER,
  left: WITH_COUNT,
  lpad: WITH_COUNT,
  repeat: WITH_COUNT,
  right: WITH_COUNT,
  rpad: WITH_COUNT,
  width_bucket: { one: [], more: [undefined, DOUBLE, DOUBLE, INT] },
  encode: { one: [], more: [BYTEA] },
  make_date: { one: [], more: [INT, INT, INT] },
  make_timestamp: { one: [], more: [INT, INT, INT, INT, INT, DOUBLE] },
  jsonb_set: UPDATED,
  jsonb_insert: UPDATED,
  [JSON_OPERATORS['#>']!]: OF_PATH,
  [JSON_OPERATORS['#>>']!]: OF_PATH,
  [JSON_OPERATORS['#-']!]: OF_PATH,
};

const CONTAINMENT: ReadonlySet<string> = new Set(['@>', '<@']);

const isJsonbCast = (node: Expression): boolean =>
  node.class === 'CAST' &&
  node.cast_type.type_info?.type === 'UNBOUND_TYPE_INFO' &&
  /^jsonb$/i.test(node.cast_type.type_info.name);

/** Functions and operators whose arguments have one type. */
const OF_ONE_TYPE: ReadonlySet<string> = new Set(['generate_series', 'mod']);

/**
 * The types of parameters that a parsed statement requires by their places, where the kernel finds several that fit, or none:
 *     round($1, 2), interval '1 day' * $1, generate_series(1, $1), document #>> $1, left(s, $1), '{}'::jsonb @> $1
 */
export function requiredTypes(statement: Statement): ReadonlyMap<string, SqlType> {
  const types = new Map<string, SqlType>();
  const require = (argument: Expression | undefined, type: SqlType | undefined) => {
    if (argument?.class === 'PARAMETER' && type !== undefined && !types.has(argument.identifier))
      types.set(argument.identifier, type);
  };
  walkTree(statement, (node) => {
    if (!('class' in node) || node.class !== 'FUNCTION') return;
    const { children, function_name: name } = node;
    const required = ARGUMENTS[name];
    const all = children.length === 1 ? required?.one : required?.more;
    if (all !== undefined && all.length <= children.length)
      for (const [i, type] of all.entries()) require(children[i], type);
    if (CONTAINMENT.has(name) && children.some(isJsonbCast))
      for (const document of children) require(document, JSONB);
    if (OF_ONE_TYPE.has(name)) {
      const known = children.map(integerOrTime).find((type) => type !== undefined);
      for (const argument of children.slice(0, 2)) {
        require(argument, known);
        if (argument.class === 'CAST') require(argument.child, integerOrTime(argument));
      }
    }
    if (isFactor(node)) for (const factor of children) require(factor, DOUBLE);
  });
  return types;
}

const isFactor = ({ is_operator, function_name: name, children }: FunctionNode): boolean =>
  is_operator &&
  (name === '*' || name === '/') &&
  children.some((child) => child.class === 'CAST' && child.cast_type.id === 'INTERVAL');

/** The type of an integer or of a time that is written with its type. */
function integerOrTime(node: Expression): SqlType | undefined {
  const id =
    node.class === 'CAST' ? node.cast_type.id : node.class === 'CONSTANT' ? node.value.type.id : undefined;
  if (node.class === 'FUNCTION' && node.function_name === 'now') return { kind: 'timestamptz' };
  switch (id) {
    case 'INTEGER':
      return INT;
    case 'BIGINT':
      return { kind: 'long' };
    case 'DATE':
      return { kind: 'date' };
    case 'TIMESTAMP':
      return { kind: 'timestamp' };
    case 'TIMESTAMP WITH TIME ZONE':
      return { kind: 'timestamptz' };
    default:
      return undefined;
  }
}
