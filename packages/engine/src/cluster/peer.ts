import { type Incarnation, type Logger, type NodeProcess, pause, TesseraError } from '@tessera/common';
import type { SharedPlaces } from '@tessera/coordinator';
import { type RemoteTasks, remoteTasks } from '@tessera/distexec';
import { DistExecService, type NodeCredentials, openRpcChannel, type RpcChannel } from '@tessera/rpc';
import type { ClusterMember, ClusterNode } from '@tessera/scheduler';
import { afterPing, nextPingAfterMs, type PeerState, PING_EVERY_MS, UNKNOWN_PEER } from './peer-state.ts';
import {
  openPinger,
  type PeerPlace,
  PING_TIMEOUT_MS,
  type Pinger,
  type PingReply,
  type Release,
} from './pinger.ts';

export interface PeerOptions {
  readonly place: PeerPlace;
  /** The number of nodes that this node pings. */
  readonly peers: number;
  /** This node. */
  readonly from: NodeProcess;
  readonly credentials: NodeCredentials;
  /** The places of this node's admission control, if it has one. */
  readonly places: SharedPlaces | undefined;
  readonly onLost: (node: ClusterNode, reason: string) => void;
  readonly log: Logger;
}

/** A release call waits no longer than this. */
const RELEASE_TIMEOUT_MS = 5_000;
/** More releases than this are not kept for a node that does not answer. */
const MAX_UNRELEASED = 10_000;
/** More releases than this do not wait for a ping. */
const MAX_WITH_PING = 100;

interface Unreleased {
  readonly incarnation: Incarnation;
  readonly what: Release;
}

/** Another node of the engine, which is pinged periodically. */
export class Peer {
  /** Runs tasks on the node; calls without an answer make the node suspect. */
  readonly tasks: RemoteTasks;
  /** Resolves once the node has answered, or failed to answer, for the first time. */
  readonly asked: Promise<void>;
  readonly #options: PeerOptions;
  readonly #pinger: Pinger;
  readonly #channel: RpcChannel;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #state: PeerState = UNKNOWN_PEER;
  /** Aborts when the living incarnation is lost. */
  #life = new AbortController();
  /** Ends the pause before the next ping. */
  #hurry = new AbortController();
  /** Releases that the node has not confirmed. They are sent again when it answers. */
  #unreleased: Unreleased[] = [];
  /** Releases for the next ping. */
  #releaseSoon: Unreleased[] = [];

  constructor(options: PeerOptions) {
    const { place, from, credentials } = options;
    this.#options = options;
    this.#pinger = openPinger(place, from, credentials);
    this.#channel = openRpcChannel({
      ...credentials,
      address: place.name,
      unanswered: (reason) => {
        this.#hurry.abort();
        return this.#lost(reason);
      },
    });
    this.tasks = remoteTasks(this.#channel.client(DistExecService));
    const asked = Promise.withResolvers<void>();
    this.asked = asked.promise;
    this.#ended = this.#pingUntilClosed(asked.resolve);
  }

  get member(): ClusterMember {
    const { index, name } = this.#options.place;
    const state = this.#state;
    return state.kind === 'living'
      ? { index, name, status: state.node.status, node: state.node }
      : {
          index,
          name,
          status: state.kind,
          reason: state.reason,
          node: 'node' in state ? state.node : undefined,
        };
  }

  /** Undefined unless the node answers. */
  get living(): ClusterNode | undefined {
    return this.#state.kind === 'living' ? this.#state.node : undefined;
  }

  /**
   * A signal that aborts with the error for running calls when the incarnation is lost.
   * @throws TesseraError NODE_LOST, NODE_RESTARTED if it is already lost
   */
  lifeOf({ incarnation }: ClusterNode): AbortSignal {
    if (this.#state.kind !== 'living') throw this.#lost(this.#state.reason);
    if (this.#state.node.incarnation !== incarnation) throw this.#restarted();
    return this.#life.signal;
  }

  /**
   * Asks the node to release everything that it has of a query. A node that was paused or disconnected may
   * return with outputs of queries that ended in the meantime. Therefore a release that does not reach it is
   * repeated when it answers, unless it is another process then.
   */
  async release({ incarnation }: Pick<ClusterNode, 'incarnation'>, what: Release): Promise<void> {
    const { queryId, ...which } = what;
    if (this.living?.incarnation === incarnation) {
      const error = await this.tasks.release(queryId, which, RELEASE_TIMEOUT_MS).then(
        () => undefined,
        (cause: unknown) => ({ cause }),
      );
      if (error === undefined) return;
      const { log, place } = this.#options;
      log.debug({ node: place.name, queryId, err: error.cause }, 'a node could not be told to release');
    }
    this.#unreleased.push({ incarnation, what });
    if (this.#unreleased.length > MAX_UNRELEASED) this.#unreleased.shift();
  }

  /** Pings the node as soon as no other ping is in progress, if it is reachable. */
  pingNow(): void {
    if (this.living !== undefined) this.#hurry.abort();
  }

  /** Like `release`, but with the next ping, which spares a call. */
  releaseSoon({ incarnation }: ClusterNode, what: Release): void {
    if (this.#releaseSoon.length < MAX_WITH_PING) this.#releaseSoon.push({ incarnation, what });
    else void this.release({ incarnation }, what);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
    this.#life.abort(this.#lost('this node stops'));
    this.#pinger.close();
    this.#channel.close();
  }

  async #pingUntilClosed(asked: () => void): Promise<void> {
    const closing = this.#closing.signal;
    let heardAt = performance.now();
    while (!closing.aborted) {
      const sentAt = performance.now();
      const hurry = new AbortController();
      this.#hurry = hurry;
      const places = this.#options.places?.request(this.#options.place.name);
      const releases = this.#releaseSoon.splice(0);
      const sent = { places, releases: releases.map(({ what }) => what) };
      const reply = await this.#pinger.ping(sent, closing);
      if (closing.aborted) break;
      const now = performance.now();
      // Time in which this process itself was suspended, or did not ask, does not count as silence of the peer.
      const waitedMs = Math.min(now - heardAt, PING_TIMEOUT_MS + PING_EVERY_MS);
      heardAt = now;
      this.#take(reply, waitedMs);
      if (places !== undefined && reply.kind === 'answer') {
        this.#options.places?.onAnswer(this.#options.place.name, places, reply.places, sentAt);
      }
      if (reply.kind !== 'answer' || !reply.hasReleased) this.#releaseAgain(releases);
      asked();
      const afterMs = nextPingAfterMs(this.#state, reply, this.#options.peers, now - sentAt);
      await pauseUntil(afterMs, AbortSignal.any([closing, hurry.signal]));
    }
    asked();
  }

  #take(reply: PingReply, waitedMs: number): void {
    const before = this.#state;
    const { state, lost } = afterPing(before, reply, waitedMs);
    this.#state = state;
    this.#tell(before, state);
    if (state.kind === 'living') this.#releaseAgain(this.#unreleased.splice(0));
    if (lost === undefined) return;
    this.#life.abort(state.kind === 'living' ? this.#restarted() : this.#lost(lost.reason));
    this.#life = new AbortController();
    this.#options.onLost(lost.node, lost.reason);
  }

  /** Outputs of another process of the node are gone with it. */
  #releaseAgain(releases: readonly Unreleased[]): void {
    const { living } = this;
    for (const one of releases)
      if (living === undefined || living.incarnation === one.incarnation) void this.release(one, one.what);
  }

  #tell(before: PeerState, now: PeerState): void {
    const { log, place } = this.#options;
    const node = place.name;
    if (now.kind === 'living') {
      const { incarnation, version, status } = now.node;
      const isNew = before.kind !== 'living' || before.node.incarnation !== incarnation;
      if (isNew) log.info({ node, incarnation, version }, 'a node is up');
      else if (before.node.status !== status) log.info({ node, status }, 'a node changed its status');
    } else if (now.kind === 'refused') {
      if (before.kind !== 'refused' || before.reason !== now.reason) {
        log.error({ node, reason: now.reason }, 'a node cannot work with this one');
      }
    } else if (before.kind !== now.kind) {
      log.warn({ node, reason: now.reason }, 'a node is lost');
    }
  }

  #lost(reason: string): TesseraError {
    return TesseraError.of('NODE_LOST', { node: this.#options.place.name, reason });
  }

  #restarted(): TesseraError {
    return TesseraError.of('NODE_RESTARTED', { node: this.#options.place.name });
  }
}

async function pauseUntil(ms: number, until: AbortSignal): Promise<void> {
  await pause(ms, { signal: until }).catch(() => undefined);
}
