import type { KernelSession } from './kernel-session.ts';

const REPEAT_MS = 25;

/**
 * Interrupts what runs in a session once the signal fires, and whatever is started in it afterwards: an interrupt that
 * falls between two calls would hit neither. The function returned ends it, before the session goes to anybody else.
 */
export function interruptOnAbort(session: KernelSession, signal: AbortSignal): () => void {
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
