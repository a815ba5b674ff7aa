import type { SqlLocation } from '@tessera/common';

/** A place in a text that was looked for, from where later places of the same text are counted. */
interface Mark {
  readonly text: string;
  readonly at: number;
  readonly line: number;
  /** The characters of the line before `at`. */
  readonly before: number;
  /** The next line end at or after `at`, or the end of the text. */
  readonly lineEnd: number;
}

let latest: Mark = { text: '', at: 0, line: 1, before: 0, lineEnd: 0 };

/**
 * The place of `text[offset, end)`. `offset` and `end` count UTF-16 units; `end` defaults to one character
 * after `offset`. Places that are asked for in the order of the text take linear time together.
 */
export function locationAt(text: string, offset: number, end = offset + 1): SqlLocation {
  const at = Math.max(0, Math.min(offset, text.length));
  const isBefore = latest.text === text && latest.at <= at;
  latest = placeOf(isBefore ? latest : { text, at: 0, line: 1, before: 0, lineEnd: lineEndOf(text, 0) }, at);
  const startColumn = latest.before + 1;
  const last = Math.min(end, latest.lineEnd);
  const length = characters(text.slice(at, last));
  return { line: latest.line, startColumn, endColumn: startColumn + Math.max(0, length - 1) };
}

const PART = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`;
const NAME = new RegExp(String.raw`${PART}(?:\.${PART})*`, 'uy');

/** The place of the name at `offset`, with the names after its dots; if there is none, that of one character. */
export function nameLocation(text: string, offset: number): SqlLocation {
  NAME.lastIndex = offset;
  return locationAt(text, offset, offset + (NAME.exec(text)?.[0].length ?? 1));
}

function placeOf({ text, at: from, line, before, lineEnd }: Mark, at: number): Mark {
  if (at <= lineEnd) return { text, at, line, before: before + characters(text.slice(from, at)), lineEnd };
  let [start, end, number] = [lineEnd + 1, lineEndOf(text, lineEnd + 1), line + 1];
  while (end < at) {
    start = end + 1;
    end = lineEndOf(text, start);
    number += 1;
  }
  return { text, at, line: number, before: characters(text.slice(start, at)), lineEnd: end };
}

function lineEndOf(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found < 0 ? text.length : found;
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
  if (!/[\ud800-\udfff]/.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
