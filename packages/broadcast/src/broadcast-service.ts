import { type Logger, TesseraError } from '@tessera/common';
import {
  BroadcastService,
  ClusterFactsService,
  type ClusterQuestion,
  type NodeCredentials,
  openRpcChannel,
  type ServedService,
  serviceOf,
} from '@tessera/rpc';
import { type AnnouncedCluster, type AnnouncedNode, Announcements, type Connected } from './announcements.ts';

export interface BroadcastOptions {
  readonly connected: Connected;
  /** Returns the reason why this process must not be asked now; undefined if it may be. */
  readonly refusal?: () => TesseraError | undefined;
  /** The credentials that nodes must present, and that the service presents to nodes. */
  readonly credentials: NodeCredentials;
  readonly log: Logger;
}

/** The service, which must be closed when the process ends. */
export interface ServedBroadcast extends ServedService {
  close(): void;
}

/** The time limit for the answer of a node of another cluster. */
const ANSWER_TIMEOUT_MS = 2_500;

/**
 * Passes questions of one cluster on to all others. Its only state consists of announcements, which nodes
 * repeat.
 */
export function broadcastService({
  connected,
  refusal = () => undefined,
  credentials,
  log,
}: BroadcastOptions): ServedBroadcast {
  const announcements = new Announcements(connected, () => performance.now());
  const channels = new Channels(credentials);
  const service = serviceOf(BroadcastService, {
    announce: async ({ cluster, ...node }) => {
      checkServing();
      const identity = required(cluster, 'cluster');
      announcements.add(identity, node);
      return { others: announcements.others(identity).map(({ cluster: other }) => other) };
    },
    ask: async function* ({ from, question }, { signal }) {
      checkServing();
      const others = announcements.others(required(from, 'from'));
      const asked = required(question, 'question');
      const replies = others.map((other) => replyOf(other, asked, signal));
      const pending = new Map(replies.map((reply, i) => [i, reply.then((value) => ({ i, value }))]));
      while (pending.size > 0) {
        const { i, value } = await Promise.race(pending.values());
        pending.delete(i);
        yield value;
      }
    },
  });

  function checkServing(): void {
    const reason = refusal();
    if (reason !== undefined) throw reason;
  }

  /** Returns the answer of the first node of the cluster that answers. */
  async function replyOf(
    { cluster, nodes }: AnnouncedCluster,
    question: ClusterQuestion,
    signal: AbortSignal,
  ) {
    let unanswered = 'it has no node';
    for (const node of nodes) {
      try {
        const client = channels.to(node, cluster.engine).client(ClusterFactsService);
        const answer = await client.answer({ question }, { signal, timeoutMs: ANSWER_TIMEOUT_MS });
        return { cluster, answer };
      } catch (error) {
        unanswered = `${node.address}: ${(error as Error).message}`;
        log.warn(
          { engine: cluster.engine, cluster: cluster.id, node: node.address, err: error },
          'a node of a cluster did not answer a request',
        );
      }
    }
    return { cluster, unanswered };
  }

  return { ...service, close: () => channels.close() };
}

/** The connections to nodes. */
class Channels {
  readonly #credentials: NodeCredentials;
  readonly #open = new Map<string, ReturnType<typeof openRpcChannel>>();

  constructor(credentials: NodeCredentials) {
    this.#credentials = credentials;
  }

  to({ address, kernelVersion }: AnnouncedNode, engine: string): ReturnType<typeof openRpcChannel> {
    const key = `${address} ${engine} ${kernelVersion}`;
    const existing = this.#open.get(key);
    if (existing !== undefined) return existing;
    const channel = openRpcChannel({
      ...this.#credentials,
      engine,
      kernelVersion,
      address,
      unanswered: (reason) => TesseraError.of('NODE_LOST', { node: address, reason }),
    });
    this.#open.set(key, channel);
    return channel;
  }

  close(): void {
    for (const channel of this.#open.values()) channel.close();
  }
}

function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw TesseraError.of('BAD_REQUEST', { message: `The request has no ${name}` });
}
