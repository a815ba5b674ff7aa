/** Makes column names unique, ignoring case, because the kernel does not distinguish case. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 1; seen.has(unique.toLowerCase()); n++) {
      const candidate = `${name}_${n}`;
      if (!taken.has(candidate.toLowerCase())) unique = candidate;
    }
    seen.add(unique.toLowerCase());
    return unique;
  });
}
