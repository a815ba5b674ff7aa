import { fail } from '@tessera/common';
import type { Expression, FunctionNode, WindowNode } from '../tree.ts';
import { internalName } from './internal-macros.ts';
import { nullResult } from './null-results.ts';
import { DIALECT_FUNCTIONS } from './registry.ts';
import type { Arity, DialectFunction, FunctionContext, Implementation } from './types.ts';

const BY_NAME: ReadonlyMap<string, DialectFunction> = new Map(
  DIALECT_FUNCTIONS.filter((f) => f.implementation.kind !== 'kernel').flatMap((f) =>
    [f.name, ...(f.aliases ?? [])].map((name) => [name, f] as const),
  ),
);

const SCALAR_RESULT =
  /→ (?:bigint|boolean|bytea|date|double precision|integer|interval|numeric|real|text|timestamp\w*)$/;

/** The functions that return no arrays, under their own names and under those of their macros. */
const SCALAR_FUNCTIONS: ReadonlySet<string> = new Set(
  DIALECT_FUNCTIONS.filter(({ signatures }) => signatures.every((one) => SCALAR_RESULT.test(one))).flatMap(
    ({ name, aliases = [] }) => [name, internalName(name), ...aliases],
  ),
);

export const returnsScalar = (name: string): boolean => SCALAR_FUNCTIONS.has(name);

/** A function of the dialect that the kernel does not have under this name; undefined for other names. */
export const replacedFunction = (name: string): DialectFunction | undefined =>
  BY_NAME.get(name.toLowerCase());

/**
 * The kernel's expression for a call of a dialect function; undefined leaves the call as it is. The arguments
 * must already be rewritten; the alias and the place of the call are kept.
 * @throws TesseraError UNDEFINED_FUNCTION for a wrong number of arguments, INVALID_ARGUMENT for a literal
 * argument that the function does not accept
 */
export function rewriteFunction(
  node: FunctionNode | WindowNode,
  context: FunctionContext,
): Expression | undefined {
  if (node.class === 'FUNCTION' && node.is_operator) return undefined;
  const found = replacedFunction(node.function_name);
  const rewritten = found && rewriteCall(found, node, context);
  return rewritten && { ...rewritten, alias: node.alias, query_location: node.query_location };
}

function rewriteCall(
  found: DialectFunction,
  node: FunctionNode | WindowNode,
  context: FunctionContext,
): Expression | undefined {
  const { implementation } = found;
  if (implementation.kind === 'kernel') return undefined;
  if (implementation.kind === 'alias') return { ...node, function_name: implementation.of };
  if (implementation.kind === 'ordered aggregate') return implementation.rewrite(node);
  checkArity(found, node.children.length, implementation.arity);
  if (implementation.kind === 'aggregate') return rewriteAggregate(implementation, node);
  if (node.class === 'WINDOW') {
    return fail('BINDING_ERROR', {
      message: `${found.name} is not a window function, so it accepts no OVER clause`,
    });
  }
  const known = nullResult(node);
  if (known !== undefined) return known;
  return implementation.kind === 'macro'
    ? { ...node, schema: '', function_name: internalName(found.name) }
    : implementation.rewrite(node, context);
}

function rewriteAggregate(
  { aggregate, finish }: Extract<Implementation, { kind: 'aggregate' }>,
  node: FunctionNode | WindowNode,
): Expression {
  const { name, args, distinct = node.distinct } = aggregate(node.children);
  const inner = { ...node, alias: '', function_name: name, schema: '', children: args, distinct };
  return finish?.(inner, node.children) ?? inner;
}

function checkArity({ name, signatures }: DialectFunction, count: number, [least, most]: Arity): void {
  if (count >= least && count <= most) return;
  fail('UNDEFINED_FUNCTION', {
    message: `${name} cannot be called with ${count} argument${count === 1 ? '' : 's'}: ${signatures.join(', ')}`,
  });
}
