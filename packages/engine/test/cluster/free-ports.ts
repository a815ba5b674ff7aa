import { freePort } from '@tessera/common';

/** Free ports of `host`. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) await freePort(host, found);
  return [...found];
}
