import type { ExternalSources } from '@tessera/object-store';

/** A file of a result, on this node and at its destination. */
export interface ResultFile {
  readonly path: string;
  readonly url: string;
}

const AT_ONCE = 8;

/** Writes the files of a result to their destinations. If one fails, those already written are removed. */
export async function writeAll(
  external: ExternalSources,
  files: readonly ResultFile[],
  access: Parameters<ExternalSources['write']>[2],
): Promise<void> {
  const written: ResultFile[] = [];
  try {
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const some = files.slice(from, from + AT_ONCE);
      const outcomes = await Promise.allSettled(
        some.map(async (file) => {
          await external.write(file.url, file.path, access);
          written.push(file);
        }),
      );
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    }
  } catch (error) {
    const { signal: _, ...rest } = access;
    const signal = new AbortController().signal;
    await Promise.allSettled(written.map(({ url }) => external.remove(url, { ...rest, signal })));
    throw error;
  }
}
