import { X509Certificate } from 'node:crypto';
import type { NodeCredentials } from '@tessera/rpc';
import type { ListenerTls } from '../listener-tls.ts';
import type { Listener } from '../listeners.ts';
import type { Samples } from './metric-set.ts';

const ENDPOINTS = { query: 'http', postgres: 'postgres' } as const;

/** The number of open client connections, by endpoint. */
export async function countOpen(listeners: readonly Listener[]): Promise<Samples<'endpoint'>> {
  const open = new Map<string, number>();
  for (const listener of listeners) {
    if (listener.purpose !== 'query' && listener.purpose !== 'postgres') continue;
    const endpoint = ENDPOINTS[listener.purpose];
    open.set(endpoint, (open.get(endpoint) ?? 0) + (await listener.connections()));
  }
  return [...open].map(([endpoint, count]) => [{ endpoint }, count]);
}

/** The expiry times of the certificates that this node uses. */
export function certificateExpiries(
  listeners: ListenerTls | undefined,
  { tls }: Pick<NodeCredentials, 'tls'>,
): Samples<'shown_to'> {
  const nodes = tls && new X509Certificate(tls.certificate).validToDate;
  const expiries = [
    ['clients', listeners?.expiresAt],
    ['nodes', nodes],
  ] as const;
  return expiries.flatMap(([shown_to, at]) =>
    at === undefined ? [] : [[{ shown_to }, at.getTime() / 1_000] as const],
  );
}
