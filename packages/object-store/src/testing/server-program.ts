import { once } from 'node:events';

/**
 * The common part of the server programs of this directory: a program prints one line of JSON when its server
 * is ready. It stops when its standard input ends, and leaves nothing behind, so that it does not outlive the
 * test that started it, however that ends.
 */
export async function serveUntilInputEnds(facts: object, stop: () => Promise<void>): Promise<void> {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), once(process, 'SIGTERM')]);
  await stop();
  process.exit(0);
}
