/** The limits of one upload request. Sizes of parts are counted after decompression, while they stream. */
export interface UploadLimits {
  /** The total size of all decoded file parts. */
  readonly fileBytes: number;
  /** The size of the decoded SQL part. */
  readonly sqlBytes: number;
  /** The number of parts of any kind. */
  readonly parts: number;
  /** The total size of the headers of all parts. */
  readonly headerBytes: number;
  /** The longest wait for the next byte of the client, in milliseconds. */
  readonly idleMs: number;
  /** The free space that uploads leave on the disk. */
  readonly diskReserveBytes: number;
}

/** 1 GB is 1000³ bytes, as everywhere in the configuration. */
export const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  fileBytes: 1_000_000_000,
  sqlBytes: 1024 * 1024,
  parts: 1000,
  headerBytes: 1024 * 1024,
  idleMs: 60_000,
  diskReserveBytes: 128 * 1024 * 1024,
};

/**
 * The longest encoded body that can be within the limits: a coding may enlarge incompressible data (snappy by
 * a sixth), but never double it.
 */
export const maxBodyBytes = (limits: UploadLimits): number =>
  2 * (limits.fileBytes + limits.sqlBytes + limits.headerBytes);

const UNITS = [
  [1000 ** 3, 'GB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

/** A limit for messages, in the largest unit that divides it. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.find(([size]) => bytes >= size && bytes % size === 0);
  return unit === undefined ? `${bytes} bytes` : `${bytes / unit[0]} ${unit[1]}`;
}
