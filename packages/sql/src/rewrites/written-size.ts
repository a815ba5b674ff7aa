import { fail } from '@tessera/common';
import { type Expression, isExpression, visitChildren } from '../tree.ts';

/** The most parts of one expression that is rewritten. */
const MAX_WRITTEN_PARTS = 100_000;

/**
 * Counts the parts of rewritten expressions. A rewrite that uses an operand several times shares it, so that a few nodes stand for a
 * tree of two to the power of its depth, which every later rewrite reads as a tree. Each node is counted once.
 */
export class WrittenSize {
  readonly #sizes = new Map<object, number>();

  /**
   * Returns an expression.
   * @throws TesseraError STATEMENT_TOO_COMPLEX if it has too many parts
   */
  checked(node: Expression): Expression {
    if (this.#of(node) > MAX_WRITTEN_PARTS) {
      fail('STATEMENT_TOO_COMPLEX', {
        what: 'parts of an expression in the terms of the kernel',
        limit: MAX_WRITTEN_PARTS,
        hint: 'Nest fewer calls: compute the inner ones in a subquery',
      });
    }
    return node;
  }

  #of(node: unknown): number {
    if (node === null || typeof node !== 'object') return 0;
    const isOne = isExpression(node);
    if (isOne && node.class === 'CONSTANT') return 1;
    const known = isOne ? this.#sizes.get(node) : undefined;
    if (known !== undefined) return known;
    let size = isOne ? 1 : 0;
    visitChildren(node, (child) => {
      size += this.#of(child);
    });
    if (isOne) this.#sizes.set(node, size);
    return size;
  }
}
