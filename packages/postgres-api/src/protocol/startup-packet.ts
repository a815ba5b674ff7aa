import { TesseraError } from '@tessera/common';
import { PayloadReader } from './payload-reader.ts';

/** The packets that a client may send before authentication. */
export type StartupPacket =
  | { readonly kind: 'ssl' }
  | { readonly kind: 'gssapi' }
  | { readonly kind: 'cancel'; readonly processId: number; readonly secret: Buffer }
  | {
      readonly kind: 'startup';
      /** The minor protocol version; the major version is 3. */
      readonly minor: number;
      readonly parameters: ReadonlyMap<string, string>;
      /** Protocol extensions: parameters whose names begin with `_pq_.`. */
      readonly extensions: readonly string[];
    };

const CANCEL_REQUEST = 80877102;
const SSL_REQUEST = 80877103;
const GSSENC_REQUEST = 80877104;

/** @throws TesseraError PROTOCOL_VIOLATION, NOT_SUPPORTED for another major version */
export function readStartupPacket(body: Buffer): StartupPacket {
  const reader = new PayloadReader(body);
  const code = reader.int32();
  switch (code) {
    case SSL_REQUEST:
      reader.end();
      return { kind: 'ssl' };
    case GSSENC_REQUEST:
      reader.end();
      return { kind: 'gssapi' };
    case CANCEL_REQUEST:
      return { kind: 'cancel', processId: reader.int32(), secret: reader.rest() };
    default:
      return startup(code, reader);
  }
}

function startup(version: number, reader: PayloadReader): StartupPacket {
  const major = version >>> 16;
  const minor = version & 0xffff;
  if (major !== 3) {
    throw TesseraError.of('NOT_SUPPORTED', { what: `Version ${major}.${minor} of the PostgreSQL protocol` });
  }
  const parameters = new Map<string, string>();
  const extensions: string[] = [];
  for (let name = reader.text(); name !== ''; name = reader.text()) {
    const value = reader.text();
    if (name.startsWith('_pq_.')) extensions.push(name);
    else parameters.set(name, value);
  }
  reader.end();
  return { kind: 'startup', minor, parameters, extensions };
}
