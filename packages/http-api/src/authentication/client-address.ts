import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '@tessera/auth';

/**
 * Whom delays after wrong passwords are for: the address of the connection. Headers that claim another one are not
 * believed, anybody can write them.
 */
export function clientAddress({ socket }: IncomingMessage, listener: 'tcp' | 'unix'): ClientAddress {
  if (listener === 'unix') return 'unix';
  // One address in its two spellings: a socket of both families shows IPv4 inside IPv6.
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'gone';
}
