/**
 * How far the log may have been deleted. The boundary is advanced before anything is deleted. So a node that
 * finds a slot empty, or fills it, and *afterwards* finds the boundary below the slot knows that the slot was
 * never deleted. Entries are deleted `boundaryAgeMs` after the boundary was advanced, so an empty slot was not deleted either if the
 * boundary was below it shortly *before*.
 */
export interface Boundary {
  /** Entries up to this version may have been deleted. */
  readonly version: number;
  /** The key of a checkpoint at that version or a later one. */
  readonly checkpoint: string | undefined;
}

export const NO_BOUNDARY: Boundary = { version: 0, checkpoint: undefined };

/** Writes two lines: the version and the key of the checkpoint. */
export function encodeBoundary({ version, checkpoint }: Boundary): Uint8Array {
  return new TextEncoder().encode(`${version}\n${checkpoint ?? ''}\n`);
}

/** @throws if the text is not a boundary, because nothing may be concluded about the log then */
export function decodeBoundary(body: Uint8Array): Boundary {
  const text = new TextDecoder().decode(body);
  const match = /^(\d{1,16})\n(.*)\n$/.exec(text);
  if (match === null) throw new Error(`meta/gc_boundary is damaged: ${JSON.stringify(text.slice(0, 100))}`);
  return { version: Number(match[1]), checkpoint: match[2] === '' ? undefined : match[2]! };
}
