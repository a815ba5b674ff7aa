import type { CopyOptions } from '../../commands/copy-options.ts';

const LF = 0x0a;

/** Finds the end of a row in the text of COPY TO, because the protocol sends one row per message. */
export type LineEnd = (bytes: Buffer, start: number) => number;

/**
 * Creates the function that returns the end of the row at `start`, after its newline. Every text ends with a
 * complete row.
 */
export function lineEnds({ format, quote, escape: escapeText }: CopyOptions): LineEnd {
  if (format === 'text') return (bytes, start) => bytes.indexOf(LF, start) + 1;
  const quoteByte = quote.charCodeAt(0);
  const escapeByte = escapeText.charCodeAt(0);
  return (bytes, start) => {
    const newline = bytes.indexOf(LF, start);
    const firstQuote = bytes.indexOf(quoteByte, start);
    if (firstQuote < 0 || newline < firstQuote) return newline + 1;
    let inQuotes = false;
    for (let i = firstQuote; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (inQuotes && byte === escapeByte && escapeByte !== quoteByte) i += 1;
      else if (byte === quoteByte) inQuotes = !inQuotes;
      else if (byte === LF && !inQuotes) return i + 1;
    }
    return bytes.length;
  };
}

const HEAD_BYTES = 5;
const COPY_DATA = 'd'.charCodeAt(0);

/** The rows of a text as CopyData messages, in newly allocated memory. */
export function copyDataMessages(bytes: Buffer, lineEnd: LineEnd): Buffer {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    start = lineEnd(bytes, start);
    ends.push(start);
  }
  const out = Buffer.allocUnsafe(bytes.length + HEAD_BYTES * ends.length);
  let [start, at] = [0, 0];
  for (const end of ends) {
    out[at] = COPY_DATA;
    out.writeInt32BE(end - start + HEAD_BYTES - 1, at + 1);
    bytes.copy(out, at + HEAD_BYTES, start, end);
    at += HEAD_BYTES + end - start;
    start = end;
  }
  return out;
}
