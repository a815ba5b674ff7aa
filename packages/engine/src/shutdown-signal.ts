import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Makes signals end the process until `shutdownSignal` takes over. The first process of a container ignores
 * signals without a handler, so a signal during start-up would be lost.
 */
export function endAtSignals(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) process.on(signal, endAtOnce);
}

const endAtOnce = (signal: (typeof SIGNALS)[number]) => process.exit(128 + constants.signals[signal]);

/**
 * Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, because its sender does not
 * want to wait for running queries.
 */
export function shutdownSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130);
      asked = true;
      resolve(signal);
    };
    for (const signal of SIGNALS) {
      process.on(signal, onSignal);
      process.off(signal, endAtOnce);
    }
  });
}
