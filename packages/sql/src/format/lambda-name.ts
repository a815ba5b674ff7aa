/**
 * A name for a lambda parameter that does not hide any name in the expression that the lambda is applied to.
 */
export function lambdaName(value: string): string {
  const used = [...value.matchAll(/\be(\d+)\b/g)].map((match) => Number(match[1]));
  return `e${Math.max(-1, ...used) + 1}`;
}
