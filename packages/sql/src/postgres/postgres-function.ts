import type { Arity, FunctionContext } from '../functions/types.ts';
import type { Expression } from '../tree.ts';

/** What a function of PostgreSQL's catalog stands for. */
export interface PostgresFunction {
  readonly arity: Arity;
  readonly rewrite: (args: readonly Expression[], context: FunctionContext) => Expression;
}
