import { fail, type SqlLocation } from '@tessera/common';
import { cast, constant, type Expression, type ParameterNode } from '../tree.ts';

/** A parameter of the request; bigint for JSON integers, number for JSON fractions. */
export interface QueryParameter {
  /** As the request spells it: `$1`, or a name that `param('…')` reads. */
  readonly name: string;
  readonly value: null | boolean | bigint | number | string;
}

/**
 * `$1` → its value as a literal: strings and NULL take the type that their place asks for, as literals do; integers
 * are BIGINT and fractions DOUBLE wherever they stand.
 * @throws TesseraError INVALID_ARGUMENT for a parameter without a value
 */
export function parameterValue(
  node: ParameterNode,
  parameters: readonly QueryParameter[],
  location: SqlLocation | undefined,
): Expression {
  const name = `$${node.identifier}`;
  const parameter = parameters.find((p) => p.name === name);
  if (parameter === undefined) {
    fail(
      'INVALID_ARGUMENT',
      { message: `The statement uses ${name}, but query_parameters has no ${name}` },
      { location },
    );
  }
  return { ...literal(parameter.value), alias: node.alias, query_location: node.query_location };
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
