import type { Server, ServerResponse } from 'node:http';

/** The answers that a server owes. */
interface Endings {
  readonly open: Set<ServerResponse>;
  isAsked: boolean;
}

const endingsOf = new WeakMap<object, Endings>();

/** To be called for a server before it listens, so that `endConnections` may be. */
export function keepsAnswers(server: Server): void {
  const endings: Endings = { open: new Set(), isAsked: false };
  endingsOf.set(server, endings);
  const onAnswer = (_request: unknown, response: ServerResponse) => {
    if (endings.isAsked) return endsConnection(response);
    endings.open.add(response);
    response.once('close', () => endings.open.delete(response));
  };
  server.prependListener('request', onAnswer);
  server.prependListener('checkContinue', onAnswer);
}

/**
 * Every connection ends with the next answer on it, from those on: clients open new ones, which a load balancer gives to
 * other nodes. A connection without a request stays: the client may be sending one.
 */
export function endConnections(server: object): void {
  const endings = endingsOf.get(server);
  if (endings === undefined) return;
  endings.isAsked = true;
  for (const response of endings.open) if (!response.headersSent) endsConnection(response);
}

const endsConnection = (response: ServerResponse): void => void response.setHeader('Connection', 'close');
