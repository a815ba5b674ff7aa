/**
 * SQL for the bodies of macros: `body` over a value that is computed once. The kernel writes an argument out wherever a macro names
 * it, so that nested macros that name theirs several times take seconds to plan.
 *
 * @param name the name of the value in `body`, a parameter of a lambda: `body` must contain nothing else from outside that could have
 * this name, no aggregates and no subqueries
 */
export const withValue = (name: string, value: string, body: string): string =>
  `list_transform([${value}], lambda ${name}: ${body})[1]`;
