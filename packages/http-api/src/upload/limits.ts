/** What one upload request may use. Sizes of parts are counted after decompression, while they stream. */
export interface UploadLimits {
  /** All file parts of the request together, decoded. */
  readonly fileBytes: number;
  /** The SQL part, decoded. */
  readonly sqlBytes: number;
  /** Parts of any kind. */
  readonly parts: number;
  /** Headers of all parts together. */
  readonly headerBytes: number;
  /** Longest wait for the next byte of the client. */
  readonly idleMs: number;
  /** Free space that uploads leave on the disk. */
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
 * The longest body, as sent, that can be within the limits: a coding may enlarge what does not compress (snappy by a
 * sixth), but not double it.
 */
export const maxBodyBytes = (limits: UploadLimits): number =>
  2 * (limits.fileBytes + limits.sqlBytes + limits.headerBytes);

const UNITS = [
  [1000 ** 3, 'GB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

/** A limit as messages show it: in the largest unit that divides it. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.find(([size]) => bytes >= size && bytes % size === 0);
  return unit === undefined ? `${bytes} bytes` : `${bytes / unit[0]} ${unit[1]}`;
}
