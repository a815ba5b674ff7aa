/** The keys of the log in the store. Numbers have 20 digits, so that keys sort like versions. */
export const LOG_PREFIX = 'meta/log/';
export const CHECKPOINT_PREFIX = 'meta/ckpt/';
export const BOUNDARY_KEY = 'meta/gc_boundary';
export const LEADER_KEY = 'meta/leader';

const digits = (version: number) => String(version).padStart(20, '0');

export const entryKey = (version: number): string => `${LOG_PREFIX}${digits(version)}.json`;

export const checkpointKey = (version: number, ulid: string): string =>
  `${CHECKPOINT_PREFIX}${digits(version)}.${ulid}.zst`;

/** The version in an entry's key; undefined for other keys. */
export function entryVersion(key: string): number | undefined {
  const match = /^meta\/log\/(\d{20})\.json$/.exec(key);
  return match === null ? undefined : Number(match[1]);
}

export interface CheckpointName {
  readonly key: string;
  readonly version: number;
  readonly ulid: string;
}

export function checkpointName(key: string): CheckpointName | undefined {
  const match = /^meta\/ckpt\/(\d{20})\.([0-9A-Z]{26})\.zst$/.exec(key);
  return match === null ? undefined : { key, version: Number(match[1]), ulid: match[2]! };
}

/** The checkpoints among the keys, newest first. */
export function checkpointNames(keys: Iterable<string>): CheckpointName[] {
  return [...new Set(keys)]
    .flatMap((key) => checkpointName(key) ?? [])
    .sort((a, b) => b.version - a.version || (a.ulid < b.ulid ? 1 : -1));
}
