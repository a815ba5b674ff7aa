import { channel } from 'node:diagnostics_channel';

/**
 * A measurement that a package publishes each time an operation happens. Without a subscriber it is lost. Its name is
 * `tessera:<what>`, so that tools can subscribe through `node:diagnostics_channel`.
 */
export interface Measurement<T extends object> {
  emit(event: T): void;
  /** The returned function ends the subscription. */
  listen(listener: (event: T) => void): () => void;
}

export function measurement<T extends object>(what: string): Measurement<T> {
  const subscribers = channel(`tessera:${what}`);
  return {
    emit: (event) => subscribers.publish(event),
    listen: (listener) => {
      const on = (event: unknown) => listener(event as T);
      subscribers.subscribe(on);
      return () => void subscribers.unsubscribe(on);
    },
  };
}
