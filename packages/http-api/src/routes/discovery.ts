import type { IncomingMessage } from 'node:http';

/** The address by which this client reached the listener: the only one sure to work for it. */
export const listenerUrl = (request: IncomingMessage): string =>
  `http://${request.headers.host ?? 'localhost'}`;

/** `GET /.well-known/firebolt`: where clients of this API family learn how to log in and where to send queries. */
export const discoveryDocument = (request: IncomingMessage, instanceId: string) => ({
  instance: { id: instanceId, auth: null },
  query_url: listenerUrl(request),
});
