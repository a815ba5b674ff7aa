import { asIncarnation, type NodeName, type NodeProcess, type QueryId, TesseraError } from '@tessera/common';
import type { PlaceRequest } from '@tessera/coordinator';
import { DistExecService, type NodeCredentials, openRpcChannel, type PingResponse } from '@tessera/rpc';
import type { ClusterNode } from '@tessera/scheduler';

/** The address of a node. */
export interface PeerPlace {
  /** The position in `engine.nodes`. */
  readonly index: number;
  /** The `host:port` of its distexec service. */
  readonly name: NodeName;
  readonly shuffleAddress: string;
  readonly storageAgentAddress: string;
}

/** Names the outputs of a query that a node releases: all of them, or only those of a run or of some stages. */
export interface Release {
  readonly queryId: QueryId;
  readonly run?: number;
  readonly stages?: readonly number[];
}

export type PingReply =
  | {
      readonly kind: 'answer';
      readonly node: ClusterNode;
      /** The number of its places that this node may use. */
      readonly places: number;
      /** Whether it releases what the ping named. */
      readonly hasReleased: boolean;
    }
  /** There was no answer within the time limit of a ping. */
  | { readonly kind: 'late'; readonly reason: string }
  /** There is no connection, or it was closed. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The node refuses to work with this one. */
  | { readonly kind: 'refusal'; readonly reason: string };

interface SentWithPing {
  /** What to say about places that the node lends. */
  readonly places: PlaceRequest | undefined;
  readonly releases: readonly Release[];
}

export interface Pinger {
  ping(sent: SentWithPing, signal: AbortSignal): Promise<PingReply>;
  close(): void;
}

export const PING_TIMEOUT_MS = 1_000;

/**
 * Opens a connection for pings only, so that no ping waits behind a task.
 * @param from this node
 */
export function openPinger(place: PeerPlace, from: NodeProcess, credentials: NodeCredentials): Pinger {
  let failure: PingReply | undefined;
  const channel = openRpcChannel({
    ...credentials,
    address: place.name,
    unanswered: (reason, kind) => {
      failure = { kind, reason };
      return TesseraError.of('NODE_LOST', { node: place.name, reason });
    },
  });
  const client = channel.client(DistExecService);
  const ping = async ({ places, releases }: SentWithPing, signal: AbortSignal): Promise<PingReply> => {
    failure = undefined;
    try {
      const answer = await client.ping(
        { from, releases: releases.map(releaseMessage), ...(places && { places }) },
        { timeoutMs: PING_TIMEOUT_MS, signal },
      );
      const { hasReleased, places: lent } = answer;
      return answer.name === place.name
        ? { kind: 'answer', node: nodeOf(place, answer), places: lent, hasReleased }
        : { kind: 'refusal', reason: `who answers there calls itself ${answer.name}: see engine.nodes` };
    } catch (error) {
      return failure ?? { kind: 'refusal', reason: `it refuses: ${(error as Error).message}` };
    }
  };
  return { ping, close: () => channel.close() };
}

const releaseMessage = ({ stages = [], ...release }: Release) => ({ ...release, stages: [...stages] });

const nodeOf = (place: PeerPlace, answer: PingResponse): ClusterNode => ({
  ...place,
  incarnation: asIncarnation(answer.incarnation),
  version: answer.version,
  status: answer.status === 'draining' ? 'draining' : 'running',
  startedAtMs: Number(answer.startedAtMs),
  threads: answer.threads,
  memoryLimitBytes: Number(answer.memoryLimitBytes),
});
