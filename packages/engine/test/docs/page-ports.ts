import { isFree } from '@tessera/common';
import { freePorts } from '../cluster/free-ports.ts';

const HOST = '127.0.0.1';

/** The ports that pages mention: the default ports of a node, and those from `--base-port 4000` on. */
const OF_A_NODE = [3473, 5432, 8122, 9090, 1717, 3434, 5678, 16000] as const;
const OF_A_CLUSTER = Array.from({ length: 50 }, (_, i) => 4000 + i);

/** Maps the ports that a page names to free ports of this machine, so that pages can run concurrently. */
export class PagePorts {
  readonly #given: ReadonlyMap<string, string>;
  readonly #shown: ReadonlyMap<string, string>;

  private constructor(pairs: readonly (readonly [string, string])[]) {
    this.#given = new Map(pairs);
    this.#shown = new Map(pairs.map(([shown, given]) => [given, shown]));
  }

  static async choose(): Promise<PagePorts> {
    const ofNode = await freePorts(HOST, OF_A_NODE.length);
    const base = await freeRange(OF_A_CLUSTER.length);
    return new PagePorts([
      ...OF_A_NODE.map((port, i) => [String(port), String(ofNode[i])] as const),
      ...OF_A_CLUSTER.map((port, i) => [String(port), String(base + i)] as const),
    ]);
  }

  given(port: (typeof OF_A_NODE)[number]): string {
    return this.#given.get(String(port))!;
  }

  toGiven = (text: string): string => replaced(text, this.#given);
  toShown = (text: string): string => replaced(text, this.#shown);
}

const replaced = (text: string, ports: ReadonlyMap<string, string>): string =>
  text.replace(/(?<=[:= ]|^)\d{4,5}(?![\d.])/gm, (port) => ports.get(port) ?? port);

/** The ranges of pages begin here: below the ports that `freePorts` gives to the tests that run at the same time. */
const RANGES = { from: 10_000, to: 20_000 };

/** The first of `count` free ports in a row. Processes of tests begin to look at different places. */
async function freeRange(count: number): Promise<number> {
  const ranges = Math.floor((RANGES.to - RANGES.from) / count);
  for (let slot = process.pid % ranges; ; slot = (slot + 1) % ranges) {
    const first = RANGES.from + slot * count;
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if ((await Promise.all(ports.map((port) => isFree(HOST, port)))).every(Boolean)) return first;
  }
}
