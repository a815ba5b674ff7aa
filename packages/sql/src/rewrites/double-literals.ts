import { fail, type SqlLocation } from '@tessera/common';
import { type CastNode, type ConstantNode, cast, constant, type Expression, stringLiteral } from '../tree.ts';

type Locate = (at: Expression['query_location']) => SqlLocation | undefined;

/**
 * The kernel prints the double `1e3` as `1000.0`, which it reads back as a decimal. A cast of its text keeps
 * it exact, to the last bit:
 *     1e3   →   CAST('1000' AS DOUBLE)
 * @throws TesseraError OUT_OF_RANGE for a number such as `1e400`, which the kernel would turn into infinity
 */
export function doubleLiteral(node: ConstantNode, locate: Locate): Expression {
  if (node.value.type.id !== 'DOUBLE') return node;
  const { value } = node.value;
  if (typeof value !== 'number') return node;
  if (!Number.isFinite(value)) outOfRange('A number', 'DOUBLE', node, locate);
  const text = Object.is(value, -0) ? '-0' : String(value);
  return { ...cast(constant(text), 'DOUBLE'), alias: node.alias, query_location: node.query_location };
}

const LIMITS: Readonly<Record<string, number>> = { DOUBLE: Number.MAX_VALUE, FLOAT: 3.4028235677973366e38 };

/**
 * Refuses `'1e400'::double precision`, which the kernel would turn into infinity. A text that means infinity
 * (`'inf'`) is allowed.
 */
export function checkDoubleText(node: CastNode, locate: Locate): void {
  const limit = LIMITS[node.cast_type.id];
  const text = limit === undefined ? undefined : stringLiteral(node.child);
  if (limit === undefined || text === undefined || node.try_cast || !/^\s*[-+]?[\d.]/.test(text)) return;
  if (Math.abs(Number(text)) > limit) outOfRange(JSON.stringify(text), node.cast_type.id, node, locate);
}

function outOfRange(value: string, type: string, node: Expression, locate: Locate): never {
  const name = type === 'FLOAT' ? 'real' : 'double precision';
  const message = `${value} is out of range for type ${name}`;
  return fail('OUT_OF_RANGE', { message }, { location: locate(node.query_location) });
}
