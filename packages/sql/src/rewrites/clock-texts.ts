import { operatorCall } from '../functions/expressions.ts';
import { call, cast, constant, type Expression, stringLiteral } from '../tree.ts';

const TYPES: ReadonlySet<string> = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE']);

/** Days from today. */
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * `'now'::timestamp` → `now()::timestamp` and `date 'yesterday'` → `(now()::date + -1)::date`, as PostgreSQL reads these words.
 * The kernel knows none of them.
 */
export function clockText(node: Expression): Expression {
  if (node.class !== 'CAST' || !TYPES.has(node.cast_type.id)) return node;
  const word = stringLiteral(node.child)?.trim().toLowerCase() ?? '';
  if (word === 'now') return { ...node, child: call('now') };
  const days = Object.hasOwn(DAYS, word) ? DAYS[word] : undefined;
  if (days === undefined) return node;
  return { ...node, child: operatorCall('+', cast(call('now'), 'DATE'), constant(days)) };
}
