import { fail } from '@tessera/common';
import { QUANTIFIERS } from '../text/pattern-quantifiers.ts';
import { type Expression, isExpression, type Statement, visitChildren } from '../tree.ts';
import { isRow } from './row-comparisons.ts';

/** A rewrite that repeats an operand doubles the tree at every level, and each later rewrite reads all of it. */
const MAX_REPEATED_PARTS = 50_000;

/** Smaller operands are not counted: their copies grow only with the length of the statement. */
const MIN_PARTS = 10;

/**
 * @throws TesseraError STATEMENT_TOO_COMPLEX if the rewriting of a parsed statement would repeat too many parts of its
 * expressions
 */
export function checkRepeatedOperands(statement: Statement): void {
  const sizes = new Map<Expression, number>();
  let repeated = 0;
  const sizeOf = (node: unknown): number => {
    if (node === null || typeof node !== 'object') return 0;
    if (!isExpression(node)) return sizeWithin(node);
    const known = sizes.get(node);
    if (known !== undefined) return known;
    let size = node.class === 'CONSTANT' ? 1 : 1 + sizeWithin(node);
    const { operands, copies } = repeatedIn(node);
    const parts = copies > 0 ? sizeOfAll(operands) : 0;
    if (parts > MIN_PARTS) repeated += copies * parts;
    if (repeated > MAX_REPEATED_PARTS) {
      fail('STATEMENT_TOO_COMPLEX', {
        what: 'parts of operands that are compared several times, with BETWEEN, OVERLAPS, LIKE ANY or as rows',
        limit: MAX_REPEATED_PARTS,
        hint: 'Compute the operands in a subquery',
      });
    }
    size += copies * parts;
    sizes.set(node, size);
    return size;
  };
  const sizeOfAll = (nodes: readonly unknown[]): number => {
    let sum = 0;
    for (const node of nodes) sum += sizeOf(node);
    return sum;
  };
  const sizeWithin = (node: object): number => {
    let sum = 0;
    visitChildren(node, (child) => {
      sum += sizeOf(child);
    });
    return sum;
  };
  sizeOf(statement);
}

const NOTHING = { operands: [], copies: 0 };

/** The operands that the rewriting of an expression copies, and the number of copies that it adds. */
function repeatedIn(node: Expression): { readonly operands: readonly Expression[]; readonly copies: number } {
  switch (node.class) {
    case 'BETWEEN':
      return { operands: [node.input, node.lower, node.upper], copies: 1 };
    case 'COMPARISON':
      return isRow(node.left) ? { operands: [node.left, node.right], copies: 1 } : NOTHING;
    case 'OPERATOR': {
      const [first, ...others] = node.children;
      return first !== undefined && isRow(first) && others.length > 1
        ? { operands: [first], copies: others.length - 1 }
        : NOTHING;
    }
    case 'FUNCTION': {
      // The end of a period is its start and its length.
      if (node.function_name === 'overlaps') return { operands: node.children, copies: 1 };
      const [text, list] = node.children;
      if (text === undefined || list?.class !== 'FUNCTION') return NOTHING;
      if (!QUANTIFIERS.some(({ name }) => name === list.function_name)) return NOTHING;
      return { operands: [text], copies: patternsIn(list.children) };
    }
    default:
      return NOTHING;
  }
}

/** The most patterns that the arguments of LIKE ANY can contain, less one. */
function patternsIn([list, ...more]: readonly Expression[]): number {
  if (list === undefined || more.length > 0) return more.length;
  if (list.class === 'CAST') return patternsIn([list.child]);
  if (list.class === 'CONSTANT') return String(list.value.value).split(',').length - 1;
  return list.class === 'OPERATOR' || list.class === 'FUNCTION' ? list.children.length : 0;
}
