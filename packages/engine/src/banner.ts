import { engineNodes } from '@tessera/config';
import type { Listener } from './listeners.ts';
import type { ServeOptions } from './serve-options.ts';

/** For a person at a terminal: where the node listens and one line to try. Nothing when stdout is not a terminal. */
export function printBanner(listeners: readonly Listener[], options: ServeOptions): void {
  if (!process.stdout.isTTY) return;
  process.stdout.write(bannerText(listeners, options));
}

function bannerText(listeners: readonly Listener[], options: ServeOptions): string {
  const rows = listeners.map((listener) => `  ${listener.purpose.padEnd(8)} ${listener.address}`);
  const query = listeners.find((listener) => listener.purpose === 'query');
  return [
    '',
    '  Tessera is ready.',
    '',
    ...rows,
    `  data     ${options.dataDirectory}`,
    ...clusterRows(options),
    '',
    '  Try:',
    ...(query === undefined ? [] : [`    ${tryLine(query.address)}`]),
    '    pnpm tessera query -f sales=./sales.parquet "SELECT count(*) FROM READ_PARQUET(\'upload://sales\')"',
    '',
    '',
  ].join('\n');
}

/** Nothing where there is one node. */
function clusterRows({ config, node }: ServeOptions): string[] {
  const { length } = engineNodes(config);
  return length === 1 ? [] : [`  cluster  node ${node} of ${length}; tessera nodes shows all`];
}

function tryLine(address: string): string {
  const statement = '"SELECT 42 AS answer"';
  if (!address.startsWith('unix:')) return `curl ${address} --data-binary ${statement}`;
  return `curl --unix-socket ${address.slice('unix:'.length)} http://localhost/ --data-binary ${statement}`;
}
