const UNITS: readonly (readonly [string, bigint])[] = [
  ['TiB', 1024n ** 4n],
  ['GiB', 1024n ** 3n],
  ['MiB', 1024n ** 2n],
  ['KiB', 1024n],
  ['TB', 1000n ** 4n],
  ['GB', 1000n ** 3n],
  ['MB', 1000n ** 2n],
  ['KB', 1000n],
  ['B', 1n],
];

/** The JSON Schema pattern of a byte size written as text. */
export const BYTE_SIZE_PATTERN = '^[0-9]+(\\.[0-9]+)? ?(([KkMmGgTt][Ii]?)?[Bb])?$';
const SHAPE = /^(\d+)(?:\.(\d+))? ?([kmgt]i?b|b)?$/i;

/**
 * Parses `0B`, `512MiB`, `1.5 GB`, `1048576`. Returns whole bytes; undefined if the text is not a byte size, or
 * is a fraction of a byte or more than 2^53 - 1. KB is 1000 bytes, KiB is 1024; case does not matter.
 */
export function parseByteSize(text: string): number | undefined {
  const [, whole, fraction = '', unit = 'B'] = SHAPE.exec(text) ?? [];
  if (whole === undefined || whole.length + fraction.length > 30) return undefined;
  const factor = UNITS.find(([name]) => name.toLowerCase() === unit.toLowerCase())![1];
  const scaled = BigInt(whole + fraction) * factor;
  const denominator = 10n ** BigInt(fraction.length);
  if (scaled % denominator !== 0n) return undefined;
  const bytes = scaled / denominator;
  return bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined;
}

/** Formats bytes in the largest unit that divides them: 104,857,600 is `100MiB`, 0 is `0B`. */
export function formatByteSize(bytes: number): string {
  if (bytes === 0) return '0B';
  const [name, factor] = UNITS.find(([, f]) => BigInt(bytes) % f === 0n)!;
  return `${BigInt(bytes) / factor}${name}`;
}
