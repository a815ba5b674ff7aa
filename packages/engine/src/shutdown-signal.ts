/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once: whoever sends it does not want to
 * wait for running queries.
 */
export function shutdownSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130);
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
