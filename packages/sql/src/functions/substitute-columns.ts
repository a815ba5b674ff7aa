import { call, constant, type Expression } from '../tree.ts';
import { isColumnRef, isLambda, lambdaParameters } from './expressions.ts';

/**
 * Replaces unqualified references to the given names (parameters of a lambda) in an expression.
 * A nested lambda with a parameter of the same name keeps its own; `x.field` becomes a field of the
 * replacement of `x`.
 */
export function substituteColumns(
  expression: Expression,
  replacements: ReadonlyMap<string, Expression>,
): Expression {
  return substitute(expression, lowerCased(replacements)) as Expression;
}

/** The number of lambdas in an expression, at any depth. */
export function countLambdas(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const within = Object.values(value).reduce((sum: number, item) => sum + countLambdas(item), 0);
  return within + (isLambda(value) ? 1 : 0);
}

function substitute(value: unknown, replacements: ReadonlyMap<string, Expression>): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, replacements));
  if (typeof value !== 'object' || value === null) return value;
  if (isColumnRef(value)) return replaced(value.column_names, replacements) ?? value;
  if (isLambda(value)) {
    const hidden = new Set(lambdaParameters(value).map((name) => name.toLowerCase()));
    const visible = new Map([...replacements].filter(([name]) => !hidden.has(name)));
    return { ...value, expr: substitute(value.expr, visible) };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substitute(item, replacements)]),
  );
}

function replaced(
  names: readonly string[],
  replacements: ReadonlyMap<string, Expression>,
): Expression | undefined {
  const [head, ...fields] = names;
  const replacement = replacements.get(head?.toLowerCase() ?? '');
  return (
    replacement && fields.reduce((base, field) => call('struct_extract', base, constant(field)), replacement)
  );
}

const lowerCased = <T>(map: ReadonlyMap<string, T>): Map<string, T> =>
  new Map([...map].map(([name, value]) => [name.toLowerCase(), value]));
