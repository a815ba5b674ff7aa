import { fail } from '@tessera/common';
import { parseParameterizedValue } from './header-parameters.ts';
import { localPath } from './local-file.ts';

/** The parsed headers of one part. */
export interface PartHeaders {
  readonly name: string;
  readonly hasFileName: boolean;
  /** The Content-Encoding header as sent; several headers are joined by a comma. */
  readonly contentEncoding: string | undefined;
  /** The file of this machine that the part refers to instead of containing it. */
  readonly localPath: string | undefined;
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/s;
const NAME = /^[_0-9a-zA-Z.-]+$/;
const PLAIN_TRANSFER_ENCODINGS = new Set(['binary', '8bit', '7bit']);

/**
 * Parses a part's header block. Throws BAD_UPLOAD, which refers to the part by its number until its name is
 * known.
 * @param localFileKey see `localPath`
 */
export function parsePartHeaders(block: Buffer, number: number, localFileKey?: string): PartHeaders {
  const reject = (reason: string): never => fail('BAD_UPLOAD', { reason: `part ${number}: ${reason}` });
  // Invalid UTF-8 is harmless here: it may only occur in the filename, whose value is ignored.
  const headers = parseHeaderLines(block.toString('utf8'), reject);

  const dispositions = headers.get('content-disposition') ?? [];
  if (dispositions.length === 0) reject('it has no Content-Disposition header');
  if (dispositions.length > 1) reject('it has more than one Content-Disposition header');
  const { value, parameters } = parseValue('Content-Disposition', dispositions[0]!, reject);
  if (value !== 'form-data') reject(`its Content-Disposition is "${value}", not "form-data"`);
  const name = parameters.get('name');
  if (name === undefined) return reject('its Content-Disposition has no name');
  if (!NAME.test(name))
    reject(
      `its name ${JSON.stringify(name.slice(0, 100))} is not made of letters, digits, "_", "." and "-" only`,
    );

  rejectNesting(headers, name);
  return {
    name,
    hasFileName: parameters.has('filename') || parameters.has('filename*'),
    contentEncoding: headers.get('content-encoding')?.join(','),
    localPath:
      localFileKey === undefined
        ? undefined
        : localPath(
            parseValue('Content-Type', headers.get('content-type')?.[0] ?? 'text/plain', reject),
            localFileKey,
          ),
  };
}

function parseHeaderLines(text: string, reject: (reason: string) => never): ReadonlyMap<string, string[]> {
  const headers = new Map<string, string[]>();
  if (text === '') return headers;
  // A line that begins with white space continues the previous one (RFC 5322 folding).
  for (const line of text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const match = HEADER.exec(line);
    if (match === null || hasControlCharacter(line))
      return reject(`malformed header line ${JSON.stringify(line.slice(0, 100))}`);
    const name = match[1]!.toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [match[2]!]);
    else values.push(match[2]!);
  }
  return headers;
}

function hasControlCharacter(line: string): boolean {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if ((code < 32 && code !== 9) || code === 127) return true;
  }
  return false;
}

function parseValue(header: string, value: string, reject: (reason: string) => never) {
  try {
    return parseParameterizedValue(value);
  } catch (error) {
    return reject(`${header}: ${(error as Error).message}`);
  }
}

function rejectNesting(headers: ReadonlyMap<string, string[]>, name: string): void {
  const type = headers.get('content-type')?.[0]?.toLowerCase() ?? '';
  if (type.startsWith('multipart/'))
    fail('BAD_UPLOAD', { part: name, reason: 'a part may not be multipart itself' });
  for (const encoding of headers.get('content-transfer-encoding') ?? [])
    if (!PLAIN_TRANSFER_ENCODINGS.has(encoding.toLowerCase()))
      fail('BAD_UPLOAD', {
        part: name,
        reason: `Content-Transfer-Encoding "${encoding}" is not taken (binary, 8bit and 7bit are)`,
      });
}
