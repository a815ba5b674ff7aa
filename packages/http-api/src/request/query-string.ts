import { textOfUtf8 } from '@tessera/common';

/**
 * The names and values of a request's query string, which is cut off by hand: a client may send any path, also one that is
 * no URL. `URLSearchParams` alone would put U+FFFD in place of bytes that are not UTF-8, and a statement would run with a
 * parameter that nobody sent.
 * @param url as Node has it: one character for each byte
 * @throws TesseraError INVALID_ENCODING
 */
export function queryString(url = ''): URLSearchParams {
  const mark = url.indexOf('?');
  const sent = mark === -1 ? '' : url.slice(mark + 1);
  const bytes = sent.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  textOfUtf8(Buffer.from(bytes, 'latin1'), 'the query string');
  return new URLSearchParams(Buffer.from(sent, 'latin1').toString('utf8'));
}
