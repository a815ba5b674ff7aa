import { channel } from 'node:diagnostics_channel';

/**
 * What a package tells of each time it does something, for whoever counts: told where it happens, and lost where nobody
 * listens. Names are `tessera:<what>`, for tools that listen to the process by `node:diagnostics_channel`.
 */
export interface Measurement<T extends object> {
  tell(event: T): void;
  /** The function returned ends it. */
  listen(listener: (event: T) => void): () => void;
}

export function measurement<T extends object>(what: string): Measurement<T> {
  const told = channel(`tessera:${what}`);
  return {
    tell: (event) => told.publish(event),
    listen: (listener) => {
      const on = (event: unknown) => listener(event as T);
      told.subscribe(on);
      return () => void told.unsubscribe(on);
    },
  };
}
