import { fail } from '@tessera/common';
import { call, column, constant, type Expression, type FunctionNode, lambda } from '../tree.ts';
import { columnName, internalCall, isLambda, lambdaParameters } from './expressions.ts';
import { countLambdas, substituteColumns } from './substitute-columns.ts';
import type { Implementation } from './types.ts';

interface LambdaFunction {
  /** The kernel function of the form `(array, lambda)` that applies the lambda. */
  readonly apply: 'list_filter' | 'list_transform';
  /** The internal macro that is applied to the result of `apply`. */
  readonly finish?: string;
  /** Whether that macro takes the first array as its second argument. */
  readonly finishTakesFirstArray?: boolean;
  /** The internal macro for calls without a lambda. If absent, a lambda is required. */
  readonly withoutLambda?: string;
}

interface LambdaCall {
  readonly parameters: readonly string[];
  readonly body: Expression;
  readonly arrays: readonly Expression[];
}

const MAX_ARRAYS = 6;

/**
 * `f((x, y) -> body, a, b)` and `f(x, y -> body, a, b)` → `finish(apply(zip(a, b), z -> body over z[1],
 * z[2]))`.
 * The kernel only knows `(array, lambda)` with a single array; calls in that order are left to it.
 */
export const lambdaFirst = (f: LambdaFunction): Implementation => ({
  kind: 'rewrite',
  arity: [1, Number.POSITIVE_INFINITY],
  rewrite: (node) => {
    const found = lambdaCall(node);
    if (found === undefined) return withoutLambda(node, f);
    const [first] = found.arrays;
    const applied = applyLambda(found, f.apply);
    if (f.finish === undefined || first === undefined) return applied;
    return f.finishTakesFirstArray ? internalCall(f.finish, applied, first) : internalCall(f.finish, applied);
  },
});

function withoutLambda(node: FunctionNode, f: LambdaFunction): Expression | undefined {
  const [array, ...rest] = node.children;
  if (f.withoutLambda === undefined || array === undefined) {
    return fail('INVALID_ARGUMENT', {
      message: `${node.function_name} expects a lambda as its first argument, such as ${node.function_name}(x -> x > 0, a)`,
    });
  }
  // Calls with more arguments and without a lambda are the kernel's own form, such as array_sort(a, 'DESC').
  return rest.length === 0 ? internalCall(f.withoutLambda, array) : undefined;
}

function lambdaCall(node: FunctionNode): LambdaCall | undefined {
  const at = node.children.findIndex(isLambda);
  const found = node.children[at];
  if (found === undefined || !isLambda(found)) return undefined;
  const before = node.children.slice(0, at);
  const after = node.children.slice(at + 1);
  const inner = lambdaParameters(found);
  // In `f(x, y -> …, a, b)` the parser takes `x` for a separate argument.
  const leading = after.length > 0 ? before.map(columnName) : [];
  if (leading.includes(undefined)) {
    return fail('INVALID_ARGUMENT', {
      message: `${node.function_name}: the lambda must come before the arrays`,
    });
  }
  const parameters = [...(leading as string[]), ...inner];
  const arrays = after.length > 0 ? after : before;
  checkCounts(node.function_name, parameters, arrays);
  return { parameters, body: found.expr, arrays };
}

function checkCounts(name: string, parameters: readonly string[], arrays: readonly Expression[]): void {
  // With one array, the kernel passes the position as a second parameter.
  const fits = parameters.length === arrays.length || (arrays.length === 1 && parameters.length === 2);
  if (!fits || arrays.length > MAX_ARRAYS) {
    fail('INVALID_ARGUMENT', {
      message:
        arrays.length > MAX_ARRAYS
          ? `${name} takes at most ${MAX_ARRAYS} arrays, got ${arrays.length}`
          : `${name}: the lambda has ${parameters.length} parameters for ${arrays.length} arrays`,
    });
  }
}

function applyLambda(found: LambdaCall, apply: LambdaFunction['apply']): Expression {
  const [array] = found.arrays;
  if (array !== undefined && found.arrays.length === 1) {
    return call(apply, array, lambda(found.parameters, found.body));
  }
  // An outer lambda contains more lambdas than this one, so its row gets a different name.
  const row = `tsr_row${countLambdas(found.body)}`;
  const element = (index: number) => call('array_extract', column(row), constant(index + 1));
  const elements = new Map(found.parameters.map((name, index) => [name, element(index)]));
  const body = substituteColumns(found.body, elements);
  const zipped = internalCall(`zip_${found.arrays.length}`, ...found.arrays);
  const applied = call(apply, zipped, lambda([row], body));
  return apply === 'list_filter' ? call('list_transform', applied, lambda([row], element(0))) : applied;
}

const letters = (count: number): string[] => [...'abcdefgh'].slice(0, count);

/** `zip_2`, `zip_3`, …: the elements of arrays of equal length as rows; NULL if any array is NULL. */
export const ZIP_MACROS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Array.from({ length: MAX_ARRAYS - 1 }, (_, i) => letters(i + 2)).map((names) => {
    const list = names.join(', ');
    const missing = names.map((n) => `${n} IS NULL`).join(' OR ');
    const unequal = names
      .slice(1)
      .map((n) => `len(${n}) <> len(a)`)
      .join(' OR ');
    return [
      `zip_${names.length}`,
      [
        `(${list}) AS CASE WHEN ${missing} THEN NULL
          WHEN ${unequal} THEN error('the arrays must have the same number of elements') ELSE list_zip(${list}) END`,
      ],
    ];
  }),
);
