import { type BindingSession, quoteName } from '@tessera/kernel';
import { normalText } from './index-expressions.ts';
import { type IndexShape, type IndexState, isCountOfRows, partialsSql } from './index-shape.ts';

/**
 * The name of an aggregate of the index that cannot follow deleted rows exactly without reading those that remain; undefined if counts
 * and exact sums are all that it has.
 */
export const notInvertible = ({ states }: IndexShape): string | undefined =>
  states.find((state) => !isCount(state) && !isExactSum(state))?.call.function_name.toLowerCase();

const isCount = ({ call }: IndexState): boolean =>
  isCountOfRows(call) || (call.function_name.toLowerCase() === 'count' && !call.distinct);

const isExactSum = ({ call, type }: IndexState): boolean =>
  call.function_name.toLowerCase() === 'sum' && /^DECIMAL\b/.test(type);

/**
 * SQL of the kernel for the partial rows `before` without the rows of `deleted`: groups without rows are left out, and sums without
 * values are NULL. Both are relations for FROM: partial rows, and rows of the table by name.
 */
export async function subtractedSql(
  session: BindingSession,
  shape: IndexShape,
  before: string,
  deleted: string,
): Promise<string> {
  const keys = shape.keys.map(({ column }) => quoteName(column));
  const states = shape.states.map(({ column }) => quoteName(column));
  const removed = await partialsSql(session, shape, deleted);
  const items = shape.states.map((state) => {
    const total = `CAST(sum(${quoteName(state.column)}) AS ${state.type})`;
    const name = quoteName(state.column);
    if (isCount(state)) return `${total} AS ${name}`;
    return `CASE WHEN sum(${quoteName(countOf(shape, state).column)}) > 0 THEN ${total} END AS ${name}`;
  });
  const negative = states.map((name) => `-${name} AS ${name}`);
  return `SELECT ${[...keys, ...items].join(', ')} FROM (
    SELECT ${[...keys, ...states].join(', ')} FROM ${before} AS before
    UNION ALL SELECT ${[...keys, ...negative].join(', ')} FROM (${removed}) AS removed
  ) AS parts ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`} HAVING sum(${states[0]}) > 0`;
}

/** The number of values of a sum, which every index with the sum has. */
function countOf({ states }: IndexShape, { call }: IndexState): IndexState {
  const text = normalText({ ...call, function_name: 'count' });
  return states.find((state) => normalText(state.call) === text)!;
}
