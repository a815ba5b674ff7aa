import { textOfUtf8 } from '@tessera/common';

/**
 * The names and values of a request's query string. It is cut off without a URL parser, because clients may
 * send paths that are not valid URLs. `URLSearchParams` alone would replace invalid UTF-8 by U+FFFD, and a
 * statement would run with a parameter that nobody sent.
 * @param url as Node provides it: one character per byte
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
