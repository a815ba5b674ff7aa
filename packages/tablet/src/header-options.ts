/** The settings `execution.hybrid_headers_*` and `execution.min_bytes_for_wide_part`. */
export interface HeaderOptions {
  readonly formatVersion: 1 | 2 | 3;
  readonly compression: 'none' | 'gzip' | 'zlib' | 'xz' | 'zstd' | 'brotli' | 'lz4' | 'snappy';
  readonly compressionLevel: number;
  readonly minBytesForWide: number;
}
