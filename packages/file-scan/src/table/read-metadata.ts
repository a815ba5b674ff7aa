import { gunzipSync } from 'node:zlib';
import { fail, TesseraError } from '@tessera/common';
import type { ExternalReader } from '@tessera/object-store';

const GZIP = 0x1f8b;
const MAX_METADATA_BYTES = 512 << 20;

/** The content of a file of a table's metadata, decompressed. @throws TesseraError FILE_NOT_FOUND, BAD_FILE */
export async function readMetadata(reader: ExternalReader, url: string): Promise<Buffer> {
  const found = await reader.whole(url);
  if (found === undefined) return fail('FILE_NOT_FOUND', { url, hint: 'the metadata of the table names it' });
  const bytes = Buffer.from(found);
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== GZIP) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_METADATA_BYTES });
  } catch (cause) {
    throw TesseraError.of('BAD_FILE', { name: url, reason: 'its gzip data is corrupt' }, { cause });
  }
}

/** Parses JSON, in which integers beyond 2^53 become bigints. @throws TesseraError BAD_FILE */
export function parseMetadata<T>(text: string, name: string): T {
  try {
    return JSON.parse(text, exact as unknown as (key: string, value: unknown) => unknown) as T;
  } catch (cause) {
    throw TesseraError.of(
      'BAD_FILE',
      { name, reason: `it is not JSON: ${(cause as Error).message}` },
      { cause },
    );
  }
}

const exact = (_: string, value: unknown, { source }: { readonly source: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value;

/** The URL of a table's file in the form that statements use, whatever scheme its writer had for the store. */
export function storeUrl(url: string): string {
  const azure = /^(?:abfss?|wasbs?):\/\/([^@/]+)@([^./]+)\.[^/]+\/(.*)$/i.exec(url);
  if (azure !== null) return `azure://${azure[2]}/${azure[1]}/${azure[3]}`;
  const local = /^file:(?:\/\/)?(\/.*)$/i.exec(url);
  return local?.[1] ?? url.replace(/^s3[an]:\/\//i, 's3://');
}

/** The same for files of a table that may only be read below a folder. @throws TesseraError FORBIDDEN */
export function storeUrlWithin(within: string | undefined): (url: string) => string {
  const folder = within === undefined ? '' : `${storeUrl(within).replace(/\/$/, '')}/`;
  return (url) => {
    const found = storeUrl(url);
    const isBelow = found.startsWith(folder) && !/(?:^|\/)\.\.(?:\/|$)/.test(found);
    if (within === undefined || isBelow) return found;
    const message = `The metadata of the table names ${found}, which is outside of the location ${within}`;
    return fail('FORBIDDEN', { message });
  };
}
