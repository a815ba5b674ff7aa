import { createMacro } from './internal-macros.ts';
import { DIALECT_FUNCTIONS, INTERNAL_MACROS } from './registry.ts';

export { rewriteBareName } from './bare-name.ts';
export { DIALECT_FUNCTIONS } from './registry.ts';
export { rewriteFunction } from './rewrite-function.ts';

/** The statements that a fresh kernel runs once, before it evaluates anything. */
export const functionBootstrap: readonly string[] = [
  ...Object.entries(INTERNAL_MACROS).map(([name, overloads]) => createMacro(name, overloads)),
  ...DIALECT_FUNCTIONS.flatMap(({ name, implementation }) =>
    implementation.kind === 'macro' ? [createMacro(name, implementation.overloads)] : [],
  ),
];
