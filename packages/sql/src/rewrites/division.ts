import { call, column, constant, type Expression, type FunctionNode, lambda, walkTree } from '../tree.ts';

/**
 * `a / b` → `a // tsr_divisor(b)`, likewise `%` and `//`: the kernel answers NULL for a division by zero, the dialect an
 * error. A divisor that is a literal other than zero stays as it is. With `integer_division` the kernel's parser reads `/` as
 * `//`, but not where it only plans.
 */
export function divideByZeroFails(node: FunctionNode): Expression {
  const [dividend, divisor, more] = node.children;
  if (!node.is_operator || !['/', '%', '//'].includes(node.function_name)) return node;
  if (dividend === undefined || divisor === undefined || more !== undefined) return node;
  const function_name = node.function_name === '/' ? '//' : node.function_name;
  const children = isNonZeroLiteral(divisor) ? node.children : [dividend, checked(divisor)];
  return { ...node, function_name, children };
}

/**
 * The macro evaluates its argument twice. What costs much or changes with every evaluation is bound to a
 * lambda parameter first.
 */
function checked(divisor: Expression): Expression {
  if (!mayCost(divisor)) return call('tsr_divisor', divisor);
  const once = call(
    'list_transform',
    call('list_value', divisor),
    lambda(['d'], call('tsr_divisor', column('d'))),
  );
  return call('list_extract', once, constant(1));
}

function mayCost(divisor: Expression): boolean {
  let found = false;
  walkTree(divisor, (node) => {
    if (!('class' in node)) return;
    found ||= node.class === 'SUBQUERY' || VOLATILE.has(node.class === 'FUNCTION' ? node.function_name : '');
  });
  return found;
}

const VOLATILE: ReadonlySet<string> = new Set(['random', 'gen_random_uuid', 'uuid', 'uuidv4', 'uuidv7']);

function isNonZeroLiteral(node: Expression): boolean {
  if (node.class !== 'CONSTANT' || node.value.is_null) return false;
  const { value } = node.value;
  return (typeof value === 'number' || typeof value === 'bigint') && Number(value) !== 0;
}
