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
  const postgres = listeners.find((listener) => listener.purpose === 'postgres');
  const user = userToTry(options);
  return [
    '',
    '  Tessera is ready.',
    '',
    ...rows,
    `  data     ${options.dataDirectory}`,
    ...clusterRows(options),
    '',
    '  Try:',
    ...(query === undefined ? [] : [`    ${tryLine(query.address, user)}`]),
    ...(postgres === undefined ? [] : [`    psql "${withUser(postgres.address, user)}/tessera"`]),
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

/** Whose password whoever set up the node knows; undefined where none is asked for. */
const userToTry = ({ config: { auth } }: ServeOptions): string | undefined =>
  auth.mode === 'native' ? (auth.native?.initial_user?.name ?? 'NAME') : undefined;

const withUser = (address: string, user: string | undefined): string =>
  user === undefined ? address : address.replace('://', `://${encodeURIComponent(user)}@`);

function tryLine(address: string, user: string | undefined): string {
  if (user !== undefined) return `pnpm tessera query -u ${address} --user ${user} "SELECT 42 AS answer"`;
  const statement = '"SELECT 42 AS answer"';
  if (!address.startsWith('unix:')) return `curl ${address} --data-binary ${statement}`;
  return `curl --unix-socket ${address.slice('unix:'.length)} http://localhost/ --data-binary ${statement}`;
}
