import { engineNodes } from '@tessera/config';
import { TESSERA } from './command-name.ts';
import type { Listener } from './listeners.ts';
import { DEFAULT_HTTP_PORT, type ServeOptions } from './serve-options.ts';

/**
 * Prints where the node listens and a command to try, for users at a terminal. Prints nothing if stdout is
 * not a terminal.
 */
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
    `    ${TESSERA} query${whereOf(query)} -f stations=examples/stations.parquet "SELECT * FROM READ_PARQUET('upload://stations') LIMIT 5"`,
    ...(query?.address.startsWith('http') ? [`    ${query.address}/ in a browser`] : []),
    '',
    '',
  ].join('\n');
}

/** The option with the address of the node; empty if the command line finds it by default. */
const whereOf = (query: Listener | undefined): string =>
  query === undefined || query.address === `http://127.0.0.1:${DEFAULT_HTTP_PORT}`
    ? ''
    : ` -u ${query.address}`;

/** The rows about the cluster; empty for a single node. */
function clusterRows({ config, node }: ServeOptions): string[] {
  const { length } = engineNodes(config);
  return length === 1 ? [] : [`  cluster  node ${node} of ${length}; tessera nodes shows all`];
}

/** A user whose password the administrator knows; undefined without authentication. */
const userToTry = ({ config: { auth } }: ServeOptions): string | undefined =>
  auth.mode === 'native' ? (auth.native?.initial_user?.name ?? 'NAME') : undefined;

const withUser = (address: string, user: string | undefined): string =>
  user === undefined ? address : address.replace('://', `://${encodeURIComponent(user)}@`);

function tryLine(address: string, user: string | undefined): string {
  if (user !== undefined) return `${TESSERA} query -u ${address} --user ${user} "SELECT 42 AS answer"`;
  const statement = '"SELECT 42 AS answer"';
  if (!address.startsWith('unix:')) return `curl ${address} --data-binary ${statement}`;
  return `curl --unix-socket ${address.slice('unix:'.length)} http://localhost/ --data-binary ${statement}`;
}
