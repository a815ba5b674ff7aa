/**
 * SQL for the bodies of macros: `body` over a value that is computed once. The kernel writes an argument out wherever a macro names
 * it, so that nested macros that name theirs several times take seconds to plan.
 *
 * @param name the name of the value in `body`, a parameter of a lambda. It begins with `tsr_`: in `e.k`, the kernel would look for a
 * table `e` of the user first.
 * @param body contains no aggregates, no subqueries and no arguments of the macro
 */
export const withValue = (name: string, value: string, body: string): string =>
  `list_transform([${value}], lambda ${name}: ${body})[1]`;
