import { channel } from 'node:diagnostics_channel';

/**
 * A measurement that a package publishes each time an operation happens. Without a subscriber it is lost. Its name is
 * `tessera:<what>`, so that tools can subscribe through `node:diagnostics_channel`.
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
