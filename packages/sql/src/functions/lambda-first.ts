import { fail } from '@tessera/common';
import { call, column, constant, type Expression, type FunctionNode, lambda } from '../tree.ts';
import { columnName, internalCall, isLambda, lambdaParameters } from './expressions.ts';
import { countLambdas, substituteColumns } from './substitute-columns.ts';
import type { Implementation } from './types.ts';

interface LambdaFunction {
  /** The kernel's function `(array, lambda)` that runs the lambda. */
  readonly apply: 'list_filter' | 'list_transform';
  /** Internal macro over what `apply` gave. */
  readonly finish?: string;
  /** The macro takes the first array as second argument. */
  readonly finishTakesFirstArray?: boolean;
  /** Internal macro over the array when there is no lambda; without it a lambda is required. */
  readonly withoutLambda?: string;
}

interface LambdaCall {
  readonly parameters: readonly string[];
  readonly body: Expression;
  readonly arrays: readonly Expression[];
}

const MAX_ARRAYS = 6;

/**
 * `f((x, y) -> body, a, b)` and `f(x, y -> body, a, b)` → `finish(apply(zip(a, b), z -> body over z[1], z[2]))`.
 * The kernel knows only `(array, lambda)` over one array; that order of arguments stays usable.
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
      message: `${node.function_name} needs a lambda as its first argument, such as ${node.function_name}(x -> x > 0, a)`,
    });
  }
  // More arguments without a lambda are the kernel's own form, such as array_sort(a, 'DESC').
  return rest.length === 0 ? internalCall(f.withoutLambda, array) : undefined;
}

function lambdaCall(node: FunctionNode): LambdaCall | undefined {
  const at = node.children.findIndex(isLambda);
  const found = node.children[at];
  if (found === undefined || !isLambda(found)) return undefined;
  const before = node.children.slice(0, at);
  const after = node.children.slice(at + 1);
  const inner = lambdaParameters(found);
  // In `f(x, y -> …, a, b)` the parser takes `x` for an argument of its own.
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
  // The kernel gives the position as a second parameter over one array.
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
  // A lambda outside has more lambdas inside than this one, so its row has another name.
  const row = `tsr_row${countLambdas(found.body)}`;
  const element = (index: number) => call('array_extract', column(row), constant(index + 1));
  const elements = new Map(found.parameters.map((name, index) => [name, element(index)]));
  const body = substituteColumns(found.body, elements);
  const zipped = internalCall(`zip_${found.arrays.length}`, ...found.arrays);
  const applied = call(apply, zipped, lambda([row], body));
  return apply === 'list_filter' ? call('list_transform', applied, lambda([row], element(0))) : applied;
}

const letters = (count: number): string[] => [...'abcdefgh'].slice(0, count);

/** `zip_2` … : rows of the elements of arrays of one length; NULL when an array is NULL. */
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
