import { cast, type Expression, type FunctionNode, stringLiteral } from '../tree.ts';

/**
 * `generate_series(x::date, '2024-01-31', '1 day')` → `generate_series(x::date, '2024-01-31'::timestamp, '1 day'::interval)`:
 * literals without a type have the one that the function prefers, as in PostgreSQL. The kernel takes them for texts.
 */
export function seriesArguments(node: FunctionNode): FunctionNode {
  const [from, to, step] = node.children;
  if (node.function_name !== 'generate_series' || from === undefined || to === undefined) return node;
  const isOfTimes = step !== undefined && (stringLiteral(step) !== undefined || castTo(step) === 'INTERVAL');
  if (!isOfTimes) return node;
  const type = [from, to].some((end) => castTo(end) === INSTANT) ? INSTANT : 'TIMESTAMP';
  const children = [asType(from, type), asType(to, type), asType(step, 'INTERVAL')];
  return { ...node, children };
}

const INSTANT = 'TIMESTAMP WITH TIME ZONE';

const castTo = (node: Expression): string | undefined =>
  node.class === 'CAST'
    ? node.cast_type.id
    : node.class === 'FUNCTION' && node.function_name === 'now'
      ? INSTANT
      : undefined;

function asType(node: Expression, type: string): Expression {
  const isUntyped = stringLiteral(node) !== undefined;
  // A date is the beginning of its day, as the other end has a time.
  const isDate = type !== 'INTERVAL' && castTo(node) === 'DATE';
  return isUntyped || isDate ? { ...cast(node, type), query_location: node.query_location } : node;
}
