import { isUtf8 } from 'node:buffer';
import { TesseraError } from './errors.ts';

/**
 * The only rule for texts from clients, which is PostgreSQL's: they are UTF-8 without NUL characters. A NUL
 * would end the text early wherever it becomes a C string, and half of a surrogate pair has no UTF-8 form.
 */
const INVALID_CHARACTER = /\0|\p{Surrogate}/u;

/** The position, in UTF-16 units, of the first character that text must not contain; undefined for valid text. */
export const invalidCharacterAt = (text: string): number | undefined => INVALID_CHARACTER.exec(text)?.index;

/**
 * @param what names the text in the error, such as `parameter $1`
 * @throws TesseraError INVALID_ENCODING
 */
export function requireValidText(text: string, what: string): void {
  const at = invalidCharacterAt(text);
  if (at !== undefined) throw invalidCharacter(text, at, what);
}

/** The error for the character at `at`. */
export function invalidCharacter(text: string, at: number, what: string): TesseraError {
  const unit = text.charCodeAt(at);
  const bytes = unit === 0 ? [0] : [0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return TesseraError.of('INVALID_ENCODING', { what, bytes: shownBytes(bytes) });
}

/**
 * Decodes bytes that are UTF-8 without a zero byte.
 * @param what names the text in the error
 * @throws TesseraError INVALID_ENCODING with the first invalid bytes
 */
export function textOfUtf8(bytes: Buffer, what: string): string {
  if (isTextBytes(bytes)) return bytes.toString('utf8');
  throw invalidBytes(bytes, invalidByteAt(bytes) ?? 0, what);
}

/** The error for the byte at `at`. */
export const invalidBytes = (bytes: Buffer, at: number, what: string): TesseraError =>
  TesseraError.of('INVALID_ENCODING', { what, bytes: shownBytes(sequenceAt(bytes, at)) });

/** Whether the bytes are UTF-8 without a zero byte. */
export const isTextBytes = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/** The position of the first byte that is not valid UTF-8 text; undefined if all bytes are valid. */
export function invalidByteAt(bytes: Buffer): number | undefined {
  const zero = bytes.indexOf(0);
  const valid = zero < 0 ? bytes : bytes.subarray(0, zero);
  if (isUtf8(valid)) return zero < 0 ? undefined : zero;
  let at = 0;
  while (isUtf8(bytes.subarray(at, at + announcedLength(bytes[at]!)))) at += announcedLength(bytes[at]!);
  return at;
}

const sequenceAt = (bytes: Buffer, at: number): readonly number[] => [
  ...bytes.subarray(at, at + announcedLength(bytes[at]!)),
];

/** The number of bytes in a character, according to its first byte. */
function announcedLength(first: number): number {
  if (first >= 0xf8) return 1;
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

const shownBytes = (bytes: readonly number[]): string =>
  bytes.map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ');
