import { once } from 'node:events';

/**
 * What the programs beside have in common: a server prints one line of JSON once it is up, and stops, leaving nothing
 * behind, when its standard input ends; so it does not outlive the test that started it, however that ends.
 */
export async function serveUntilInputEnds(facts: object, stop: () => Promise<void>): Promise<void> {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), once(process, 'SIGTERM')]);
  await stop();
  process.exit(0);
}
