import type { Socket } from 'node:net';
import { TesseraError } from '@tessera/common';
import { negotiateProtocolVersion } from '../protocol/backend-message.ts';
import { ClientStream, type ClientStreamOptions } from '../protocol/client-stream.ts';
import { readStartupPacket, type StartupPacket } from '../protocol/startup-packet.ts';
import type { CancelKeys } from './cancel-keys.ts';
import type { TlsUpgrade } from './tls.ts';

export interface StartupServices extends ClientStreamOptions {
  readonly keys: CancelKeys;
  /** Undefined if no certificates are configured. */
  readonly tls: TlsUpgrade | undefined;
}

export type StartupMessage = Extract<StartupPacket, { kind: 'startup' }>;

/** A connection whose start-up message has been read. */
export interface OpenedStream {
  readonly stream: ClientStream;
  readonly encrypted: boolean;
  /** Undefined if the client only sent a cancel request or has disconnected. */
  readonly startup: StartupMessage | undefined;
}

const TLS_HANDSHAKE_BYTE = 0x16;
const NEWEST_MINOR = 0;
const [REFUSED, TAKEN] = [Buffer.from('N'), Buffer.from('S')];
/**
 * The limit of packets before the session begins: one request for each kind of encryption, then the start-up
 * message.
 */
const MAX_PACKETS = 3;

/**
 * Negotiates with a new client up to its start-up message, over TLS if it requests it. `opened` receives the
 * current stream whenever a new one replaces it.
 * @throws TesseraError PROTOCOL_VIOLATION, NOT_SUPPORTED; the error of the TLS handshake
 */
export async function openStream(
  socket: Socket,
  services: StartupServices,
  opened: (stream: ClientStream) => void,
): Promise<OpenedStream> {
  let stream = new ClientStream(socket, services);
  opened(stream);
  let encrypted = false;
  const secure = async (direct: boolean) => {
    if (services.tls === undefined) {
      throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'This server has no certificate for TLS' });
    }
    const { socket: plain, rest: first } = stream.detach();
    stream = new ClientStream(await services.tls.upgrade(plain, { first, direct }), services);
    opened(stream);
    encrypted = true;
  };
  if ((await stream.firstByte()) === TLS_HANDSHAKE_BYTE) await secure(true);
  for (let i = 0; i < MAX_PACKETS; i += 1) {
    const frame = await stream.startupPacket();
    if (frame === undefined) return { stream, encrypted, startup: undefined };
    const packet = readStartupPacket(frame.body);
    switch (packet.kind) {
      case 'cancel':
        services.keys.cancel(packet.processId, packet.secret);
        return { stream, encrypted, startup: undefined };
      case 'startup':
        negotiate(stream, packet);
        return { stream, encrypted, startup: packet };
      case 'ssl':
      case 'gssapi': {
        const takes = packet.kind === 'ssl' && services.tls !== undefined && !encrypted;
        // Bytes after the request were sent unencrypted, possibly by an attacker, and would be taken for
        // encrypted ones.
        if (takes && stream.buffered > 0) throw unencrypted();
        stream.write(takes ? TAKEN : REFUSED);
        await stream.flush();
        if (takes) await secure(false);
      }
    }
  }
  throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'Expected a start-up message' });
}

/** Tells a client with a newer minor version or protocol extensions what this server supports. */
function negotiate(stream: ClientStream, { minor, extensions }: StartupMessage): void {
  if (minor > NEWEST_MINOR || extensions.length > 0) {
    stream.write(negotiateProtocolVersion(NEWEST_MINOR, extensions));
  }
}

const unencrypted = () =>
  TesseraError.of('PROTOCOL_VIOLATION', { message: 'Unencrypted data follows the request for TLS' });
