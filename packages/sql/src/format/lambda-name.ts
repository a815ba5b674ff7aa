/** A lambda parameter that hides none of those in the expression it is applied to. */
export function lambdaName(value: string): string {
  const used = [...value.matchAll(/\be(\d+)\b/g)].map((match) => Number(match[1]));
  return `e${Math.max(-1, ...used) + 1}`;
}
