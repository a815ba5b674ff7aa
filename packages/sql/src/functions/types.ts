import type { Expression, FunctionNode, WindowNode } from '../tree.ts';

export type FunctionCategory =
  | 'aggregate'
  | 'window'
  | 'array'
  | 'string'
  | 'date and time'
  | 'numeric'
  | 'conditional'
  | 'type conversion'
  | 'hash and sketch'
  | 'json'
  | 'bytea'
  | 'vector'
  | 'session and system';

/** What rewrites may know about the request and its session. */
export interface FunctionContext {
  readonly settings: { readonly timezone: string };
  readonly sessionValues: {
    readonly account: string;
    readonly database: string;
    readonly engine: string;
    readonly user: string;
    /** The protocol of the client; undefined for the HTTP API. */
    readonly protocol?: 'postgres' | undefined;
  };
  /** Parameter values as parsed from JSON. */
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[];
}

/** The minimum and maximum number of arguments; the maximum is Infinity for a variadic function. */
export type Arity = readonly [least: number, most: number];

/**
 * An aggregate call without the clauses that it shares with window calls: FILTER, DISTINCT, ORDER BY and OVER
 * stay as they are.
 */
interface AggregateCall {
  readonly name: string;
  readonly args: readonly Expression[];
  readonly distinct?: boolean;
}

/**
 * How a function is implemented in the kernel:
 * - `kernel`: the kernel's function of this name already behaves as the dialect says;
 * - `alias`: the kernel has it under another name;
 * - `macro`: overloads `(a, b) AS expression`, installed under an internal name to which calls are
 * redirected;
 * - `rewrite`: returns a new tree for a call; `undefined` leaves the call to the kernel;
 * - `aggregate`: another aggregate whose result is passed through `finish`;
 * - `ordered aggregate`: a new tree for a call with WITHIN GROUP, also with OVER.
 */
export type Implementation =
  | { readonly kind: 'kernel' }
  | { readonly kind: 'alias'; readonly of: string }
  | { readonly kind: 'macro'; readonly arity: Arity; readonly overloads: readonly string[] }
  | {
      readonly kind: 'rewrite';
      readonly arity: Arity;
      readonly rewrite: (call: FunctionNode, context: FunctionContext) => Expression | undefined;
    }
  | {
      readonly kind: 'aggregate';
      readonly arity: Arity;
      readonly aggregate: (args: readonly Expression[]) => AggregateCall;
      readonly finish?: (aggregate: Expression, args: readonly Expression[]) => Expression;
    }
  | {
      readonly kind: 'ordered aggregate';
      readonly rewrite: (call: FunctionNode | WindowNode) => Expression | undefined;
    };

export interface DialectFunction {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly category: FunctionCategory;
  readonly signatures: readonly string[];
  readonly description: string;
  /** An expression (or, for aggregates, a SELECT) and its result as text. The tests execute every example. */
  readonly example: string;
  readonly result: string | null;
  readonly implementation: Implementation;
}

/** A definition as the category files write it; the registry adds the category. */
export type Definition = Omit<DialectFunction, 'category'>;

export const inCategory = (
  category: FunctionCategory,
  definitions: readonly Definition[],
): readonly DialectFunction[] => definitions.map((definition) => ({ ...definition, category }));

export const KERNEL: Implementation = { kind: 'kernel' };

/** A function that the kernel has under this name and with this behaviour. */
export const kernelFunction = (
  name: string,
  signature: string,
  description: string,
  example: string,
  result: string,
): Definition => ({ name, signatures: [signature], description, example, result, implementation: KERNEL });

export const alias = (of: string): Implementation => ({ kind: 'alias', of });
export const macro = (arity: Arity, ...overloads: readonly string[]): Implementation => ({
  kind: 'macro',
  arity,
  overloads,
});
