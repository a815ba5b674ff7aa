import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '@tessera/auth';

/**
 * The address that login delays apply to: that of the connection. Headers that claim another address are
 * ignored, because any client can set them.
 */
export function clientAddress({ socket }: IncomingMessage, listener: 'tcp' | 'unix'): ClientAddress {
  if (listener === 'unix') return 'unix';
  // Two spellings of one address are unified: a dual-stack socket shows IPv4 addresses inside IPv6.
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'gone';
}
