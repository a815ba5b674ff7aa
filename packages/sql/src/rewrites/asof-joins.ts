import { fail } from '@tessera/common';
import { internalCall } from '../functions/expressions.ts';
import { and, caseOf, comparison, constant, operator } from '../tree-build.ts';
import type { ComparisonNode, Expression, JoinRef, TableRef } from '../tree-nodes.ts';
import { isExpression, isQueryNode, walkTree } from '../tree-transform.ts';

/**
 * The kernel's ASOF join checks only the first equality of its condition for NULL: in the other comparisons a
 * NULL on the left side matches rows. So the condition gets a first equality whose sides are NULL if any
 * operand of theirs is NULL. `x = y AND a >= b` becomes
 *     CASE WHEN x IS NULL OR a IS NULL THEN NULL ELSE 1 END = CASE WHEN y IS NULL OR b IS NULL … END
 *       AND tsr_asof_key(x) = tsr_asof_key(y) AND a >= b
 * The macro refuses types whose equality the kernel's ASOF join gets wrong: bytea, arrays and structs.
 * @throws TesseraError NOT_SUPPORTED if the two sides of the condition cannot be told apart
 */
export function asofNulls(node: TableRef): TableRef {
  if (node.type !== 'JOIN' || node.ref_type !== 'ASOF') return node;
  if (node.condition === null) {
    return fail('NOT_SUPPORTED', { what: 'ASOF JOIN with USING, instead of a condition after ON' });
  }
  const conjuncts = conjunctsOf(node.condition);
  const pairs = conjuncts.filter(isNullSensitive).map(sidesIn(node));
  const key = comparison(
    'COMPARE_EQUAL',
    oneUnlessNull(pairs.map(([left]) => left)),
    oneUnlessNull(pairs.map(([, right]) => right)),
  );
  const { query_location } = node.condition;
  return { ...node, condition: { ...and(key, ...conjuncts.map(checkedEquality)), query_location } };
}

const conjunctsOf = (node: Expression): readonly Expression[] =>
  node.class === 'CONJUNCTION' && node.type === 'CONJUNCTION_AND'
    ? node.children.flatMap(conjunctsOf)
    : [node];

/** `IS DISTINCT FROM` and its negation compare NULL as a value. */
const NULL_SENSITIVE: ReadonlySet<string> = new Set([
  'COMPARE_EQUAL',
  'COMPARE_LESSTHAN',
  'COMPARE_LESSTHANOREQUALTO',
  'COMPARE_GREATERTHAN',
  'COMPARE_GREATERTHANOREQUALTO',
]);

const isNullSensitive = (node: Expression): node is ComparisonNode =>
  node.class === 'COMPARISON' && NULL_SENSITIVE.has(node.type);

const checkedEquality = (node: Expression): Expression =>
  node.class === 'COMPARISON' && node.type === 'COMPARE_EQUAL'
    ? { ...node, left: internalCall('asof_key', node.left), right: internalCall('asof_key', node.right) }
    : node;

const oneUnlessNull = (operands: readonly Expression[]): Expression =>
  caseOf(
    operands.map((operand) => [operator('OPERATOR_IS_NULL', operand), constant(null)] as const),
    constant(1),
  );

type Side = 'left' | 'right';

/** Returns the operands of a comparison as those of the left and of the right input of the join. */
const sidesIn = (join: JoinRef) => {
  const [left, right] = [namesIn(join.left), namesIn(join.right)];
  const sideOf = (operand: Expression): Side | undefined => {
    const sides = new Set<Side | undefined>();
    walkTree(operand, (node) => {
      if (isQueryNode(node)) sides.add(undefined);
      if (!isExpression(node) || node.class !== 'COLUMN_REF') return;
      const relation = node.column_names.at(-2)?.toLowerCase();
      const [inLeft, inRight] = [left, right].map((names) => relation !== undefined && names.has(relation));
      sides.add(inLeft === inRight ? undefined : inLeft ? 'left' : 'right');
    });
    return sides.size === 1 ? [...sides][0] : undefined;
  };
  return ({ left: first, right: second }: ComparisonNode): readonly [Expression, Expression] => {
    const [side, other] = [sideOf(first), sideOf(second)];
    if ((side === undefined && other === undefined) || side === other) {
      fail('NOT_SUPPORTED', {
        what: 'An ASOF JOIN whose condition names columns without their tables, or compares columns of one table',
      });
    }
    return side === 'left' || other === 'right' ? [first, second] : [second, first];
  };
};

/** The names, in lower case, that columns of a FROM item are qualified with. */
function namesIn(ref: TableRef): ReadonlySet<string> {
  if (ref.type === 'JOIN') return new Set([...namesIn(ref.left), ...namesIn(ref.right)]);
  const own = ref.type === 'BASE_TABLE' ? ref.table_name : '';
  return new Set([(ref.alias || own).toLowerCase()]);
}
