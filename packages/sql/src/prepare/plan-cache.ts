import type { PrepareContext, PreparedQuery } from './prepare-query.ts';

const MAX_PLANS = 500;
const MAX_TEXT_LENGTH = 4_000;

/**
 * Prepared queries that read no file, the most recently used ones: a statement that comes again costs no round trip to
 * the kernel before it runs. A plan depends on nothing but its key: the text, the parameters and the session's values.
 */
const plans = new Map<string, PreparedQuery>();

export function cachedPlan(text: string, context: PrepareContext): PreparedQuery | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const key = keyOf(text, context);
  const plan = plans.get(key);
  if (plan === undefined) return undefined;
  plans.delete(key);
  plans.set(key, plan);
  return plan;
}

export function rememberPlan(text: string, context: PrepareContext, plan: PreparedQuery): void {
  const key = keyOf(text, context);
  if (text.length > MAX_TEXT_LENGTH || key.length + plan.sql.length > 4 * MAX_TEXT_LENGTH) return;
  plans.set(key, plan);
  const [oldest] = plans.keys();
  if (plans.size > MAX_PLANS && oldest !== undefined) plans.delete(oldest);
}

function keyOf(text: string, { parameters, sessionValues, settings }: PrepareContext): string {
  const values = parameters.map(({ name, value }) => [name, typeof value, String(value)]);
  const { account, database, engine, user } = sessionValues;
  return JSON.stringify([text, values, settings.timezone, account, database, engine, user]);
}
