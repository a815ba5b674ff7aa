/** Returns the elements whose key an earlier element has; null keys are ignored. */
export function repeats<T>(
  elements: readonly T[],
  keyOf: (element: T) => string | number | null,
): { readonly index: number; readonly first: number }[] {
  const firsts = new Map<string | number, number>();
  return elements.flatMap((element, index) => {
    const key = keyOf(element);
    if (key === null) return [];
    const first = firsts.get(key);
    if (first !== undefined) return [{ index, first }];
    firsts.set(key, index);
    return [];
  });
}
