import type { KernelSession, KernelType } from '@tessera/kernel';

const MAX_KNOWN = 1_000;
const known = new Map<string, KernelType>();

/** The types that SQL texts name; the kernel is asked once for each. */
export async function typesNamed(
  session: KernelSession,
  texts: readonly string[],
): Promise<ReadonlyMap<string, KernelType>> {
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  if (known.size + missing.length > MAX_KNOWN) {
    known.clear();
    missing.splice(0, missing.length, ...new Set(texts));
  }
  if (missing.length > 0) {
    const nulls = missing.map((text, i) => `CAST(NULL AS ${text}) AS c${i}`);
    const { columns } = await session.describe(`SELECT ${nulls.join(', ')}`);
    for (const [i, text] of missing.entries()) known.set(text, columns[i]!.type);
  }
  return known;
}
