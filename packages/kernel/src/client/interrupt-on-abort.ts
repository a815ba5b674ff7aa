const REPEAT_MS = 25;

/**
 * Interrupts the session's running call once the signal aborts, and also the calls that start afterwards: an
 * interrupt between two calls would otherwise have no effect. The returned function ends this and must be
 * called before the session is used by others.
 */
export function interruptOnAbort(session: { interrupt(): void }, signal: AbortSignal): () => void {
  let repeat: NodeJS.Timeout | undefined;
  const onAbort = () => {
    session.interrupt();
    repeat = setInterval(() => session.interrupt(), REPEAT_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    signal.removeEventListener('abort', onAbort);
    clearInterval(repeat);
  };
}
