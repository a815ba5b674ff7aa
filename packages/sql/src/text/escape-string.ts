import { isUtf8 } from 'node:buffer';
import { fail, type SqlLocation } from '@tessera/common';

const ESCAPE = /''|\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])|[^'\\]+/g;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

type Locate = () => SqlLocation | undefined;

/**
 * The text that `E'…'` denotes. `\xHH` and `\OOO` are bytes of its UTF-8 form, `\uHHHH` and `\UHHHHHHHH` are
 * characters.
 * @throws TesseraError INVALID_ENCODING for bytes that are not UTF-8 and for NUL, SYNTAX_ERROR for an invalid
 * code point, INVALID_ESCAPE for `\u` without its digits
 */
export function escapeStringText(image: string, locate?: Locate): string {
  const inner = image.slice(2, -1);
  if (!inner.includes('\\')) return inner.replaceAll("''", "'");
  return decoded(bytesOf(inner, locate), locate);
}

/** The text of the `bytea` that `E'…'` denotes: its text if it has one, otherwise its bytes as `\x…`. */
export function escapeStringBytes(image: string, locate?: Locate): string {
  const bytes = bytesOf(image.slice(2, -1), locate);
  return isUtf8(bytes) && !bytes.includes(0)
    ? escapeStringText(image, locate)
    : `\\x${bytes.toString('hex')}`;
}

function bytesOf(inner: string, locate: Locate | undefined): Buffer {
  const pieces = (inner.match(ESCAPE) ?? []).map((part) => unescaped(part, locate));
  // Each byte is collected separately; neighbouring characters are joined, since two `\u` escapes may form a
  // surrogate pair.
  const bytes: Uint8Array[] = [];
  let characters = '';
  const flush = () => {
    if (!characters.isWellFormed()) invalidCharacter(locate);
    bytes.push(Buffer.from(characters));
    characters = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') characters += piece;
    else {
      flush();
      bytes.push(Uint8Array.of(piece));
    }
  }
  flush();
  return Buffer.concat(bytes);
}

function unescaped(part: string, locate: Locate | undefined): string | number {
  if (part === "''") return "'";
  if (!part.startsWith('\\')) return part;
  const kind = part[1]!;
  const digits = part.slice(2);
  if (/[0-7]/.test(kind)) return Number.parseInt(part.slice(1), 8) & 0xff;
  if (digits === '' && /u/i.test(kind)) {
    const message = `\\${kind} in a string must be followed by ${kind === 'u' ? 4 : 8} hexadecimal digits`;
    fail('INVALID_ESCAPE', { message }, { location: locate?.() });
  }
  if (digits === '') return CONTROLS[kind] ?? kind;
  const value = Number.parseInt(digits, 16);
  if (kind === 'x') return value;
  if (digits.length === 4) return String.fromCharCode(value);
  return value <= 0x10ffff ? String.fromCodePoint(value) : invalidCharacter(locate);
}

function invalidCharacter(locate: Locate | undefined): never {
  return fail(
    'SYNTAX_ERROR',
    { message: 'Invalid Unicode escape value in a string' },
    { location: locate?.() },
  );
}

function decoded(bytes: Buffer, locate: Locate | undefined): string {
  const refuse = (shown: string) =>
    fail('INVALID_ENCODING', { what: 'an escape string', bytes: shown }, { location: locate?.() });
  if (bytes.includes(0)) return refuse('0x00');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(`0x${bytes.toString('hex').slice(0, 64)}`);
  }
}

/** Characters that may not introduce an escape in `U&'…' UESCAPE '…'`. */
const NO_ESCAPE = /^(?:[0-9a-fA-F+'"\s]|.{2,}|)$/su;

/**
 * The text that `U&'…'` denotes: after the escape character, four digits, or `+` and six digits, give a character.
 * @param mark the escape character; UESCAPE names another one than the backslash
 * @throws TesseraError SYNTAX_ERROR for an invalid escape or escape character
 */
export const unicodeStringText = (image: string, mark?: string, locate?: Locate): string =>
  unicodeText(image.slice(3, -1).replaceAll("''", "'"), mark, locate);

/** The name that `U&"…"` or `U&"…" UESCAPE 'x'` denotes; same errors as `unicodeStringText`. */
export function unicodeNameText(image: string, locate?: Locate): string {
  const [, inner = '', mark] = UNICODE_NAME.exec(image) ?? [];
  return unicodeText(inner.replaceAll('""', '"'), mark, locate);
}

const UNICODE_NAME = /^u&"(.*)"(?:\s*uescape\s*'([^']*)')?$/is;

function unicodeText(inner: string, mark = '\\', locate?: Locate): string {
  if (NO_ESCAPE.test(mark)) return invalidCharacter(locate);
  const pieces = inner.split(mark);
  let text = pieces[0]!;
  for (let i = 1; i < pieces.length; i += 1) {
    const piece = pieces[i]!;
    // Two escape characters in a row stand for one, and the next piece follows them as it is.
    if (piece === '' && i + 1 < pieces.length) {
      i += 1;
      text += mark + pieces[i]!;
      continue;
    }
    const digits = /^(?:\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))/.exec(piece);
    const code = Number.parseInt(digits?.[1] ?? digits?.[2] ?? '', 16);
    if (digits === null || !(code > 0 && code <= 0x10ffff)) return invalidCharacter(locate);
    text +=
      (code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)) +
      piece.slice(digits[0].length);
  }
  return text.isWellFormed() ? text : invalidCharacter(locate);
}
