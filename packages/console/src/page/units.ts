const count = new Intl.NumberFormat('en');
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export const rowsText = (rows: number): string => `${count.format(rows)} ${rows === 1 ? 'row' : 'rows'}`;

export const countText = (value: number): string => count.format(value);

export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function secondsText(seconds: number): string {
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** A time of the engine (`2026-01-31 12:00:00.123+00`); undefined if it is none. */
export function instantOf(time: string): Date | undefined {
  const at = new Date(time.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** A time of the engine in the clock of the reader. */
export const timeText = (time: string): string =>
  instantOf(time)?.toLocaleString('en-GB', { hour12: false }) ?? time;

/** The partition of a tablet, which the engine returns as a JSON array of the values of its expressions. */
export const partitionText = (partition: string | null): string =>
  partition === null
    ? ''
    : JSON.parse(partition)
        .map((value: unknown) => String(value ?? 'NULL'))
        .join(', ');
