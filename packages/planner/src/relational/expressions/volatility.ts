import type { PlanExpression } from '../../plan-nodes.ts';

/** Functions of the kernel whose result may differ between calls. */
const VOLATILE = new Set([
  'random',
  'setseed',
  'uuid',
  'uuidv4',
  'uuidv7',
  'gen_random_uuid',
  'nextval',
  'currval',
  'current_connection_id',
  'current_query_id',
  'current_transaction_id',
  'stats',
  'write_log',
  'sleep_ms',
  'get_current_timestamp',
  'clock_timestamp',
]);

/** Whether the expression may have another value if it is computed again over the same row. */
export function isVolatile(expression: PlanExpression): boolean {
  return holdsVolatile(expression);
}

function holdsVolatile(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsVolatile);
  if (typeof value !== 'object' || value === null) return false;
  const { type, name } = value as { readonly type?: unknown; readonly name?: unknown };
  if (type === 'BOUND_FUNCTION' && typeof name === 'string' && VOLATILE.has(name)) return true;
  return Object.values(value).some(holdsVolatile);
}
