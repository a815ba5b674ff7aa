import type { SqlLocation } from '@tessera/common';

/**
 * The place of `text[offset, end)`. `offset` and `end` count UTF-16 units; `end` defaults to one character
 * after `offset`.
 */
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

const BYTES_BETWEEN_MARKS = 1024;

/**
 * Converts byte offsets into the UTF-8 form of `text` to UTF-16 offsets, without scanning the whole text each
 * time.
 */
export function byteOffsets(text: string): (byteOffset: number) => number {
  if (Buffer.byteLength(text) === text.length) return (byteOffset) => Math.min(byteOffset, text.length);
  const marks: { readonly byte: number; readonly offset: number }[] = [];
  for (let offset = 0, byte = 0; offset < text.length; offset += unitsAt(text, offset)) {
    if (byte >= marks.length * BYTES_BETWEEN_MARKS) marks.push({ byte, offset });
    byte += bytesAt(text, offset);
  }
  return (byteOffset) => {
    const near = Math.min(Math.floor(byteOffset / BYTES_BETWEEN_MARKS), marks.length - 1);
    let { byte, offset } = marks[marks[near]!.byte <= byteOffset ? near : near - 1]!;
    while (byte < byteOffset && offset < text.length) {
      byte += bytesAt(text, offset);
      offset += unitsAt(text, offset);
    }
    return Math.min(offset, text.length);
  };
}

/** The number of bytes of the character in UTF-8. */
function bytesAt(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return unitsAt(text, offset) === 2 ? 4 : 3;
}

const unitsAt = (text: string, offset: number): number => {
  const code = text.charCodeAt(offset);
  return code >= 0xd800 && code < 0xdc00 ? 2 : 1;
};

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
