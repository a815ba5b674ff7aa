import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A range below the ports that the system assigns to outgoing connections, so that none of them takes a port
 * between now and its use.
 */
const [FREE_FROM, FREE_TO] = [20_000, 32_000];

/** A free port of `host` that is not in `taken`; it is added to `taken`. */
export async function freePort(host: string, taken: Set<number>): Promise<number> {
  for (;;) {
    const port = FREE_FROM + Math.floor(Math.random() * (FREE_TO - FREE_FROM));
    if (taken.has(port) || !(await isFree(host, port))) continue;
    taken.add(port);
    return port;
  }
}

export async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
