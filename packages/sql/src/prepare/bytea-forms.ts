import { internalCall } from '../functions/expressions.ts';
import { byteaLiteral } from '../rewrites/literals.ts';
import {
  cast,
  type Expression,
  type FunctionNode,
  type Statement,
  someExpression,
  stringLiteral,
} from '../tree.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { valueKind } from './value-kind.ts';

/** The macros for functions of texts that PostgreSQL also has for byte strings. */
const MACROS: Readonly<Record<string, string>> = {
  bit_length: 'bytea_bit_length',
  ltrim: 'bytea_ltrim',
  position: 'bytea_position',
  rtrim: 'bytea_rtrim',
  trim: 'bytea_trim',
  tsr_pg_overlay: 'bytea_overlay',
};

/**
 * Functions of byte strings that the kernel only has for texts: `trim('\x00'::bytea FROM b)` → `tsr_bytea_trim(b, '\x00'::bytea)`. The
 * text of the query and the catalog must say that an operand is a byte string.
 * @param outermost see `rewriteInScope`
 */
export function byteaForms(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!someExpression(statement, isConcerned)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    if (!isConcerned(node)) return node;
    const operands = node.children.slice(0, 2);
    const ofColumn = kindsFrom(factsOf);
    if (!operands.some((operand) => valueKind(operand, ofColumn) === 'bytea')) return node;
    const args = node.children.map((child, i) =>
      i < 2 && stringLiteral(child) !== undefined ? byteaLiteral(cast(child, 'BLOB')) : child,
    );
    const { alias, query_location } = node;
    return { ...internalCall(MACROS[node.function_name]!, ...args), alias, query_location };
  });
}

const isConcerned = (node: Expression): node is FunctionNode =>
  node.class === 'FUNCTION' &&
  Object.hasOwn(MACROS, node.function_name) &&
  (node.children.length > 1 || node.function_name === 'bit_length');
