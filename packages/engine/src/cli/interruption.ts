import { EXIT } from './exit-code.ts';

/** The first Ctrl-C cancels the query; the second one ends the program at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  });
  return controller.signal;
}
