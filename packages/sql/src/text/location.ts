import type { SqlLocation } from '@tessera/common';

/** The place of `text[offset, end)`; `offset` and `end` count UTF-16 units, `end` defaults to one character. */
export function locationAt(text: string, offset: number, end = offset + 1): SqlLocation {
  const at = Math.max(0, Math.min(offset, text.length));
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line += 1;
  const startColumn = characters(text.slice(lineStart, at)) + 1;
  const endOfLine = text.indexOf('\n', at);
  const last = Math.min(end, endOfLine < 0 ? text.length : endOfLine);
  return { line, startColumn, endColumn: startColumn + Math.max(0, characters(text.slice(at, last)) - 1) };
}

/** The UTF-16 offset of a byte offset into the UTF-8 form of `text`. */
export function offsetOfByte(text: string, byteOffset: number): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (bytes >= byteOffset) return i;
    const code = text.charCodeAt(i);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code < 0xdc00) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return text.length;
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
