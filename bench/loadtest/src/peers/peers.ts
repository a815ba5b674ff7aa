import type { RunOptions } from '../options.ts';
import { runningEndpoint } from '../processes/running-endpoint.ts';
import { ApiPeer } from './api-peer.ts';
import { clickHouse } from './clickhouse.ts';
import { duckDb, duckDbOverParquet } from './duckdb.ts';
import type { Peer, PeerKind } from './peer.ts';
import { postgreSql } from './postgres.ts';
import { PostgresPeer } from './postgres-peer.ts';

export const PEER_KINDS: readonly PeerKind[] = [duckDb, duckDbOverParquet, clickHouse, postgreSql];

/**
 * The peers that the options name; `all` selects those that can run here.
 * @throws Error for an unknown name, or a peer that cannot run here
 */
export async function chosenPeers({ peers }: RunOptions): Promise<PeerKind[]> {
  const unknown = peers.find((name) => name !== 'all' && !PEER_KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined)
    throw new Error(
      `--peers: ${unknown} is none of ${PEER_KINDS.map(({ name }) => name).join(', ')}, all, none`,
    );
  const chosen: PeerKind[] = [];
  for (const kind of PEER_KINDS) {
    const named = peers.includes(kind.name);
    if (!named && !peers.includes('all')) continue;
    const missing = await kind.missing();
    if (missing === undefined) chosen.push(kind);
    else if (named) throw new Error(`--peers: ${kind.name} cannot run here: ${missing}`);
  }
  return chosen;
}

/** Starts the chosen peers and connects to those with a URL; stops what it started if one fails. */
export async function startPeers(options: RunOptions, progress: (doing: string) => void): Promise<Peer[]> {
  const peers: Peer[] = [];
  try {
    for (const kind of await chosenPeers(options)) {
      progress(`starting ${kind.name}`);
      peers.push(await kind.start());
    }
    for (const [name, url] of Object.entries(options.peerUrls)) {
      progress(`connecting to ${name}`);
      peers.push(await connectTo(name, url, options));
    }
    return peers;
  } catch (error) {
    await Promise.allSettled(peers.map((peer) => peer.stop()));
    throw error;
  }
}

const connectTo = async (name: string, url: string, options: RunOptions): Promise<Peer> =>
  url.startsWith('http')
    ? ApiPeer.over(name, await runningEndpoint(url, options))
    : PostgresPeer.connect(name, {
        connection: { connectionString: url },
        pid: () => undefined,
        stop: async () => {},
      });
