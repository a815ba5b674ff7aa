import type { Expression } from '../tree.ts';

/** Functions that compare their arguments, or return one of them. */
const COMPARING: ReadonlySet<string> = new Set(['greatest', 'least', 'nullif']);

/**
 * Replaces the operands of an expression that have one type. Expressions whose operands may have several types are returned as
 * they are. Unchanged nodes are shared with the input.
 */
export function withOperands(node: Expression, change: (operand: Expression) => Expression): Expression {
  switch (node.class) {
    case 'COMPARISON': {
      const left = change(node.left);
      const right = change(node.right);
      return left === node.left && right === node.right ? node : { ...node, left, right };
    }
    case 'BETWEEN': {
      const [input, lower, upper] = [change(node.input), change(node.lower), change(node.upper)];
      const isSame = input === node.input && lower === node.lower && upper === node.upper;
      return isSame ? node : { ...node, input, lower, upper };
    }
    case 'OPERATOR':
      return /^(?:COMPARE_(?:NOT_)?IN|OPERATOR_COALESCE)$/.test(node.type)
        ? withChildren(node, change)
        : node;
    case 'FUNCTION':
      return COMPARING.has(node.function_name) ? withChildren(node, change) : node;
    // The value before `IN (SELECT …)` and `= ANY (SELECT …)`.
    case 'SUBQUERY': {
      const child = node.child && change(node.child);
      return child === node.child ? node : { ...node, child };
    }
    case 'CASE': {
      const case_checks = node.case_checks.map((check) => {
        const then_expr = change(check.then_expr);
        return then_expr === check.then_expr ? check : { ...check, then_expr };
      });
      const else_expr = change(node.else_expr);
      const isSame =
        else_expr === node.else_expr && case_checks.every((check, i) => check === node.case_checks[i]);
      return isSame ? node : { ...node, case_checks, else_expr };
    }
    default:
      return node;
  }
}

/** Replaces the children of a node. */
export function withChildren<T extends Expression & { readonly children: readonly Expression[] }>(
  node: T,
  change: (child: Expression) => Expression,
): T {
  const children = node.children.map(change);
  return children.every((child, i) => child === node.children[i]) ? node : { ...node, children };
}

/** The operands of an expression that have one type; none for expressions whose operands may have several. */
export function operandsOf(node: Expression): readonly Expression[] {
  const operands: Expression[] = [];
  withOperands(node, (operand) => {
    operands.push(operand);
    return operand;
  });
  return operands;
}
