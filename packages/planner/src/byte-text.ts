const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A size for people: `1.5 MiB`. */
export function byteText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** unit;
  return `${unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}
