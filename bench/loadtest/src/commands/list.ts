import { WORKLOADS } from '../data/workloads.ts';
import type { RunOptions } from '../options.ts';
import { PEER_KINDS } from '../peers/peers.ts';
import { BENCHMARKS } from '../registry.ts';

/** Benchmarks, peers and workloads, with the reason for those that cannot run here. */
export async function list(options: RunOptions): Promise<string> {
  const benchmarks = BENCHMARKS.map(({ name, about, inAll, needs }) => {
    const missing = needs?.(options);
    return line(name, `${about}${inAll ? '' : ' (not in all)'}`, missing);
  });
  const peers = await Promise.all(
    PEER_KINDS.map(async ({ name, about, missing }) => line(name, about, await missing())),
  );
  const generated = WORKLOADS.map(({ name, title, tables, queries, scaleUnit }) =>
    line(
      name,
      `${title}: ${tables.length} table${tables.length === 1 ? '' : 's'}, ${queries.length} queries; scale 1 is ${scaleUnit}`,
      undefined,
    ),
  );
  return [
    ['Benchmarks:', ...benchmarks].join('\n'),
    ['Peers (--peers):', ...peers].join('\n'),
    ['Workloads (generate):', ...generated, ''].join('\n'),
  ].join('\n\n');
}

const line = (name: string, about: string, missing: string | undefined): string =>
  `  ${name.padEnd(15)} ${about}${missing === undefined ? '' : `\n${' '.repeat(18)}cannot run here: ${missing}`}`;
