import { requireOpen, secretKeys, TesseraError } from '@tessera/common';
import type { ObjectCredentials } from '@tessera/object-store';
import type { FileSource } from './file-scan.ts';

/**
 * Encodes a source for another node: as JSON, with credentials encrypted if the nodes have a key for that.
 */
export function encodeFileSource(source: FileSource): Uint8Array {
  const { scan } = source;
  const credentials = mapped(scan.credentials, (text, name) => secretKeys().seal(text, name));
  return Buffer.from(JSON.stringify({ ...source, scan: { ...scan, credentials } }));
}

/** @throws TesseraError BAD_REQUEST for an invalid source; SECRET_KEY_MISSING */
export function decodeFileSource(bytes: Uint8Array): FileSource {
  const source = parsed(bytes);
  const { scan } = source;
  const credentials = mapped(scan.credentials, (text, name) => requireOpen(secretKeys().open(text, name)));
  return { ...source, scan: { ...scan, credentials } };
}

function mapped(
  credentials: ObjectCredentials | undefined,
  map: (text: string, name: string) => string,
): ObjectCredentials | undefined {
  if (credentials === undefined) return undefined;
  const texts = Object.entries(credentials).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, map(String(text), name)]));
}

function parsed(bytes: Uint8Array): FileSource {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as FileSource;
  } catch (cause) {
    const message = 'The task cannot be run: what it reads of files is not JSON';
    throw TesseraError.of('BAD_REQUEST', { message }, { cause });
  }
}
