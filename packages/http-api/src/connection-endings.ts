import type { Server, ServerResponse } from 'node:http';

/** The answers that a server still has to send. */
interface Endings {
  readonly open: Set<ServerResponse>;
  isAsked: boolean;
}

const endingsOf = new WeakMap<object, Endings>();

/** Must be called for a server before it listens, so that `endConnections` can be called later. */
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
 * Makes every connection close after its next answer, including the answers that are being sent. Clients then
 * open new connections, which a load balancer directs to other nodes. An idle connection stays open, because
 * the client may be sending a request.
 */
export function endConnections(server: object): void {
  const endings = endingsOf.get(server);
  if (endings === undefined) return;
  endings.isAsked = true;
  for (const response of endings.open) if (!response.headersSent) endsConnection(response);
}

const endsConnection = (response: ServerResponse): void => void response.setHeader('Connection', 'close');
