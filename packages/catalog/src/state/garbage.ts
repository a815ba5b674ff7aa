import type { ObjectId } from '../model.ts';

/** An object of the store that nothing names any more, until the collector has deleted it. */
export interface Tombstone {
  /** Key in the managed store, or a full URL for tables with a location. */
  readonly name: string;
  /** Absent for orphans: objects that were never committed. */
  readonly tableId?: ObjectId;
  /** Time of the entry that removed it, milliseconds since 1970. */
  readonly removedAtMs: number;
  /** The version of the entry that removed the object. Snapshots of earlier versions still read it. */
  readonly version: number;
  /** An entry announced that the object is about to be deleted: it may be gone already. */
  readonly collecting: boolean;
}

/**
 * Milliseconds since 1970 from the ULID that the name ends with (before its extension); undefined for other names.
 */
export function ulidTimeOf(name: string): number | undefined {
  const match = /(?:^|[/])([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}(?:\.[a-z0-9]+)*$/i.exec(name);
  if (match === null) return undefined;
  let time = 0;
  for (const digit of match[1]!.toUpperCase())
    time = time * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit);
  return time;
}
