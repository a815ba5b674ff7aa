import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A range below the ports that the system assigns to outgoing connections, so that no connection takes a port
 * before it is used.
 */
const [FREE_FROM, FREE_TO] = [20_000, 32_000];
/**
 * Each process first draws from a part of the range that depends on its id, so that two processes that draw at
 * the same time rarely choose the same port. If this many draws find no free port, it draws from the whole
 * range.
 */
const PARTS = 24;
const DRAWS_FROM_PART = 2_000;

/** Returns a free port of `host` that is not in `taken`, and adds it to `taken`. */
export async function freePort(host: string, taken: Set<number> = new Set()): Promise<number> {
  const partSize = (FREE_TO - FREE_FROM) / PARTS;
  const partFrom = FREE_FROM + (process.pid % PARTS) * partSize;
  for (let draw = 0; ; draw++) {
    const [from, size] = draw < DRAWS_FROM_PART ? [partFrom, partSize] : [FREE_FROM, FREE_TO - FREE_FROM];
    const port = from + Math.floor(Math.random() * size);
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
