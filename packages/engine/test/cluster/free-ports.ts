import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what the system gives to connections that go out, so that nobody takes a port between now and its use. */
const [FROM, TO] = [20_000, 32_000];

/** Ports of `host` that nobody listens at. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM));
    if (await isFree(host, port)) found.add(port);
  }
  return [...found];
}

async function isFree(host: string, port: number): Promise<boolean> {
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
