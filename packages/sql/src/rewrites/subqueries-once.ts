import { computedOnce } from '../functions/expressions.ts';
import { needsArgumentsFirst } from '../functions/registry.ts';
import {
  column,
  type Expression,
  type FunctionNode,
  NO_LOCATION,
  type QueryLocation,
  type Statement,
  type SubqueryNode,
  someExpression,
  transformTree,
  walkTree,
} from '../tree.ts';

/**
 * Computes the arguments of a macro before its call, if one contains a subquery and the macro would compute it more than once,
 * or in a lambda, in which the kernel allows no subqueries:
 *     tsr_pg_array_remove(a, (SELECT …))   →   [tsr_pg_array_remove(r[1], r[2]) for r in [row(a, (SELECT …))]][1]
 */
export function subqueriesOnce(statement: Statement): Statement {
  // Otherwise the arguments of every call would be searched.
  if (!containsQuery(statement)) return statement;
  const single = repeatedOnce(statement);
  if (!someExpression(single, isAffected)) return single;
  return transformTree(single, {
    expression: (node) => (isAffected(node) ? argumentsFirst(node) : node),
  });
}

/**
 * Computes a subquery that a rewrite has repeated in one expression only once, as that of `to_char((SELECT …), 'YYYY-MM-DD')`. The
 * copies have the same place in the text.
 */
function repeatedOnce(statement: Statement): Statement {
  const copies = copiesIn(statement);
  if ([...copies.values()].every((count) => count === 1)) return statement;
  return transformTree(statement, {
    expression: (node) => {
      if (node.class === 'SUBQUERY' || node.class === 'LAMBDA' || !containsQuery(node)) return node;
      for (const [place, count] of copiesIn(node))
        if (count > 1 && count === copies.get(place)) return withOneSubquery(node, place);
      return node;
    },
  });
}

/** How many scalar subqueries stand at each place of the text. */
function copiesIn(of: Expression | Statement): ReadonlyMap<QueryLocation, number> {
  const copies = new Map<QueryLocation, number>();
  walkTree(of, (node) => {
    if (!('class' in node) || !isScalar(node) || node.query_location === NO_LOCATION) return;
    copies.set(node.query_location, (copies.get(node.query_location) ?? 0) + 1);
  });
  return copies;
}

const isScalar = (node: Expression): node is SubqueryNode =>
  node.class === 'SUBQUERY' && node.subquery_type === 'SCALAR';

/** The functions that repeated arguments are made of. */
const REPEATING =
  /^(?:\|\||[-+*]|upper|lower|[lr]pad|rtrim|year|isfinite|strftime|tsr_(?:to_char|interval_char|number|ordinal|without_zeros|plus_interval)\w*)$/;

const isOther = (node: Expression): boolean =>
  node.class === 'FUNCTION' && !REPEATING.test(node.function_name);

function withOneSubquery(node: Expression, place: QueryLocation): Expression {
  let copy: SubqueryNode | undefined;
  const name = 'tsr_subquery';
  const form = transformTree(node, {
    expression: (part) => {
      if (!isScalar(part) || part.query_location !== place) return part;
      copy = part;
      return column(name);
    },
  });
  // A lambda may contain neither subqueries nor aggregates.
  const isPlain = !someExpression(form, ({ class: kind }) => kind === 'SUBQUERY' || kind === 'WINDOW');
  if (copy === undefined || !isPlain || someExpression(form, isOther)) return node;
  const { alias, query_location } = node;
  return { ...computedOnce([copy], () => form, name), alias, query_location };
}

const isAffected = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' &&
  needsArgumentsFirst(node.function_name) &&
  node.children.some(containsQuery) &&
  !node.children.some(({ class: kind }) => kind === 'LAMBDA');

const containsQuery = (node: Expression | Statement): boolean =>
  someExpression(node, (part) => part.class === 'SUBQUERY');

const isConstant = (node: Expression): boolean =>
  node.class === 'CAST' ? isConstant(node.child) : node.class === 'CONSTANT' || node.class === 'PARAMETER';

function argumentsFirst(node: FunctionNode): Expression {
  const computed = node.children.filter((child) => !isConstant(child));
  const call = computedOnce(
    computed,
    (operands) => ({
      ...node,
      alias: '',
      children: node.children.map((child) => operands[computed.indexOf(child)] ?? child),
    }),
    'tsr_arguments',
  );
  return { ...call, alias: node.alias, query_location: node.query_location };
}
