import { fail, type SqlLocation, TesseraError } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import { cast, constant, type Expression, type ParameterNode } from '../tree.ts';
import type { SqlType } from '../types/sql-type.ts';
import { typeNode } from '../types/type-node.ts';
import { typedValue } from './typed-value.ts';

/** A parameter of the request. JSON integers are bigint, JSON fractions number. */
export interface QueryParameter {
  /** The name in the request: `$1`, or a name that `param('…')` reads. */
  readonly name: string;
  readonly value: null | boolean | bigint | number | string;
  /**
   * The type of the value, independent of its position; a string is then PostgreSQL's text form of the value.
   * Parameters of type `text` take the type that their position requires, as literals do, but NULL is a text.
   */
  readonly type?: SqlType | undefined;
  /**
   * Whether the query is bound for every value of the type. It then contains `$1` where the text of a value
   * (`genericText`) will be inserted.
   */
  readonly isGeneric?: boolean | undefined;
}

/**
 * `$1` → its value as a literal. Strings and NULL take the type that their position requires, as literals do;
 * integers are BIGINT and fractions DOUBLE everywhere.
 * @throws TesseraError UNDEFINED_PARAMETER for a parameter without a value, CAST_ERROR for a value that does not
 * have its type
 */
export function parameterValue(
  node: ParameterNode,
  parameters: readonly QueryParameter[],
  location: SqlLocation | undefined,
): Expression {
  const name = `$${node.identifier}`;
  const parameter = byName(parameters).get(name);
  if (parameter === undefined) {
    fail(
      'UNDEFINED_PARAMETER',
      { message: `The statement uses ${name}, but query_parameters has no ${name}` },
      { location },
    );
  }
  const literal = parameterLiteral(parameter, location);
  const value =
    parameter.isGeneric && literal.class === 'CAST' ? { ...literal, child: { ...node, alias: '' } } : literal;
  return { ...value, alias: node.alias, query_location: node.query_location };
}

const INDEXES = new WeakMap<readonly QueryParameter[], ReadonlyMap<string, QueryParameter>>();

/** An index by name, because statements may have 65,535 parameters. */
function byName(parameters: readonly QueryParameter[]): ReadonlyMap<string, QueryParameter> {
  const known = INDEXES.get(parameters);
  if (known !== undefined) return known;
  const index = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  INDEXES.set(parameters, index);
  return index;
}

/** Types whose values can always be written in a query as a text cast to the type. */
const GENERIC_KINDS: ReadonlySet<SqlType['kind']> = new Set([
  'int',
  'long',
  'float',
  'double',
  'boolean',
  'date',
  'timestamp',
  'timestamptz',
]);

/**
 * The SQL of the kernel that replaces a generic parameter. Undefined for values that influence how a query is
 * bound: NULL, texts, numbers with as many digits as their type allows, and invalid values.
 */
export function genericText(parameter: QueryParameter): string | undefined {
  const { value, type } = parameter;
  if (value === null || (type === undefined ? typeof value === 'string' : !GENERIC_KINDS.has(type.kind)))
    return undefined;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) return undefined;
  try {
    const literal = parameterLiteral(parameter, undefined);
    const child = literal.class === 'CAST' ? literal.child : undefined;
    const text = child?.class === 'CONSTANT' ? child.value.value : undefined;
    return typeof text === 'string'
      ? quoteText(text)
      : typeof text === 'object'
        ? undefined
        : text?.toString();
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

/**
 * Inserts values into a query that was bound with generic parameters; `texts` is indexed by parameter number.
 */
export const withGenericTexts = (sql: string, texts: ReadonlyMap<string, string>): string =>
  sql.replace(/\$(\d+)\b/g, (place, n: string) => texts.get(n) ?? place);

function parameterLiteral({ value, type }: QueryParameter, location: SqlLocation | undefined): Expression {
  if (type === undefined) return literal(value);
  if (value === null) return cast(constant(null), typeNode(type));
  if (typeof value === 'string') return typedValue(type, value, location);
  return cast(literal(value), typeNode(type));
}

function literal(value: QueryParameter['value']): Expression {
  switch (typeof value) {
    case 'bigint':
      return integer(value);
    case 'number':
      return cast(constant(String(value)), 'DOUBLE');
    default:
      return constant(value);
  }
}

const MAX_BIGINT = 2n ** 63n;

function integer(value: bigint): Expression {
  if (value >= -MAX_BIGINT && value < MAX_BIGINT) return cast(constant(value), 'BIGINT');
  return cast(constant(String(value)), {
    id: 'DECIMAL',
    type_info: { type: 'DECIMAL_TYPE_INFO', alias: '', extension_info: null, width: 38, scale: 0 },
  });
}
