import { freePort } from '@tessera/common';

/** The ports of this process, which nodes use later. */
const drawn = new Set<number>();

/** Free ports of `host`. No two calls return the same one. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort(host, drawn));
  return ports;
}
