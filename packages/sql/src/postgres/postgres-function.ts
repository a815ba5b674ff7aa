import type { Arity, FunctionContext } from '../functions/types.ts';
import type { Expression } from '../tree.ts';

/** How a function of PostgreSQL's catalog is rewritten. */
export interface PostgresFunction {
  readonly arity: Arity;
  readonly rewrite: (args: readonly Expression[], context: FunctionContext) => Expression;
}
