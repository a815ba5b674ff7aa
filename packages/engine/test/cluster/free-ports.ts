import { freePort } from '../../src/free-port.ts';

/** Free ports of `host`. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) await freePort(host, found);
  return [...found];
}
