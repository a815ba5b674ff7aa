import { onceParts } from '../functions/expressions.ts';
import type { ColumnRefNode, Expression, FunctionNode, QueryNode, WindowNode } from '../tree.ts';

/** Whether PostgreSQL has a column, or the only column of a query, as REAL or DOUBLE PRECISION; undefined if its type is unknown. */
export type IsFloatColumn = (of: ColumnRefNode | QueryNode) => boolean | undefined;

export const isFloatType = (type: string): boolean => type === 'DOUBLE' || type === 'FLOAT';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Functions that return a floating-point number if one of their arguments is one. */
const OF_ARGUMENTS = words(
  '+ - * / // % @ ^ ** abs any_value avg cbrt ceil ceiling exp first first_value floor greatest lag last_value lead least ln log log10 max min mod nth_value pow power round sqrt stddev_pop stddev_samp sum trunc tsr_divisor tsr_round var_pop var_samp',
);
const ALWAYS = words(
  'acos asin atan atan2 corr cos cot covar_pop covar_samp degrees pi quantile_cont radians random regr_intercept regr_r2 regr_slope sin tan',
);

/**
 * Whether PostgreSQL computes a rewritten expression as a floating-point number; undefined if the type of a column is unknown. Some
 * numbers that are numerics there are DOUBLE PRECISION here: `avg(i)`, `1.5`.
 */
export function isFloat(node: Expression, ofColumn: IsFloatColumn): boolean | undefined {
  const some = (parts: readonly Expression[]): boolean | undefined => {
    const answers = parts.map((part) => isFloat(part, ofColumn));
    return answers.includes(true) || (answers.includes(undefined) ? undefined : false);
  };
  switch (node.class) {
    case 'CAST':
      return isFloatType(node.cast_type.id) && node.child.class !== 'CONSTANT';
    case 'COLUMN_REF':
      return ofColumn(node);
    case 'SUBQUERY':
      return node.subquery_type === 'SCALAR' && ofColumn(node.subquery.node);
    case 'CASE':
      return some([...node.case_checks.map(({ then_expr }) => then_expr), node.else_expr]);
    case 'OPERATOR':
      return /^OPERATOR_(?:COALESCE|NULLIF)$/.test(node.type) && some(node.children);
    case 'FUNCTION':
    case 'WINDOW':
      return ofCall(node, some);
    default:
      return false;
  }
}

function ofCall(
  node: FunctionNode | WindowNode,
  some: (parts: readonly Expression[]) => boolean | undefined,
): boolean | undefined {
  const once = onceParts(node);
  if (once !== undefined) return some(once.values);
  const name = node.function_name.toLowerCase();
  return ALWAYS.has(name) || (OF_ARGUMENTS.has(name) && some(node.children));
}
