const MAX_ENTRIES = 1_000;
/** To read a longer text again costs little in comparison with its other processing. */
const MAX_CHARACTERS = 2_000;

/**
 * A function of a text that remembers its latest results, because clients repeat statements. The results must not be
 * changed. Errors are not remembered.
 * @param isKept whether a result may stay in memory; it must not contain a secret
 */
export function remembered<T>(
  of: (text: string) => T,
  isKept: (result: T, text: string) => boolean,
): (text: string) => T {
  /** Least recently used first. */
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > MAX_CHARACTERS) return of(text);
    const found = known.get(text);
    if (found !== undefined) {
      known.delete(text);
      known.set(text, found);
      return found;
    }
    const result = of(text);
    if (!isKept(result, text)) return result;
    known.set(text, result);
    if (known.size > MAX_ENTRIES) known.delete(known.keys().next().value!);
    return result;
  };
}
