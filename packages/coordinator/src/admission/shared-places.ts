import { type NodeName, type NodeProcess, nodeNameOf } from '@tessera/common';
/** A node sends this to another one with each ping, to borrow places of it and to give them back. */
export interface PlaceRequest {
  /** Grows with each request of a node to the same lender, so that the lender recognises a late one. */
  readonly sequence: number;
  /** The number of the lender's places that the sender holds. */
  readonly held: number;
  /** The number of further places that the sender could use now. */
  readonly wanted: number;
}

/** The queries of this node that need places. */
export interface PlaceUsers {
  readonly running: number;
  /** The number of queries that wait for a place. */
  readonly waiting: number;
  /** Called when more queries may run. */
  onMorePlaces(): void;
}

/** The places that this node has from a lender. */
interface Borrowed {
  /** The sequence of the latest request to the lender. */
  sequence: number;
  /** The number of places that this node last reported to the lender, or that the lender has granted since. */
  held: number;
  /** The number that the lender leaves to this node; fewer than `held` if it wants some back. */
  allowed: number;
  /** The end of the lease, as `performance.now()`. */
  usableUntil: number;
}

/** The places that a node has from this one. */
interface Lent extends PlaceRequest {
  held: number;
  /** The time of the latest request, as `performance.now()`. */
  readonly heardAt: number;
}

/** After this time without an answer of the lender, no query starts on its places. */
const LEASE_MS = 2_000;
/** A lender takes places back after this time without a request of the borrower, whose lease has ended by then. */
const FORGET_AFTER_MS = 3_000;
/** The minimum time between two requests that this node makes in addition to its regular pings. */
const ASK_AGAIN_MS = 100;

/**
 * The places for concurrent queries of one node, which lends those it does not need to other nodes.
 *
 * Each node owns its share of the limit of the engine. A place that is lent counts as taken until the borrower has said that it no
 * longer holds it, so the nodes together never run more queries than the limit while they answer each other. If a borrower
 * falls silent, the lender takes its places back after the borrower's lease has ended: from then on the borrower starts no
 * query on them, and only those that it is still running exceed the limit.
 */
export class SharedPlaces {
  /** The number of places that this node owns. */
  readonly share: number;
  readonly #now: () => number;
  readonly #borrowed = new Map<NodeName, Borrowed>();
  /** The places that others have. */
  readonly #lent = new Map<NodeProcess, Lent>();
  #users: PlaceUsers = { running: 0, waiting: 0, onMorePlaces: () => undefined };
  #ask: (lender: NodeName | undefined) => void = () => undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(share: number, now = () => performance.now()) {
    this.share = share;
    this.#now = now;
  }

  /** Sets the queries that use the places. */
  use(users: PlaceUsers): void {
    this.#users = users;
  }

  /** Sets how to send a request soon: to the node with the name, or to all nodes. */
  askThrough(ask: (lender: NodeName | undefined) => void): void {
    this.#ask = ask;
  }

  /** The number of queries below which a further one may start now. */
  get limit(): number {
    const now = this.#now();
    let limit = this.share - this.#lentPlaces();
    for (const { held, allowed, usableUntil } of this.#borrowed.values())
      if (now < usableUntil) limit += Math.min(held, allowed);
    return limit;
  }

  /** Called after each change of the number of running or waiting queries. */
  onUsersChanged(): void {
    for (const [lender, { held, allowed }] of this.#borrowed)
      if (held > allowed && this.#spare(this.#users.running) > 0) this.#ask(lender);
    if (this.#isShort()) this.#askSoon(undefined);
  }

  /**
   * The request to a lender, whose answer goes to `onAnswer`. It returns the places of the lender that are not
   * needed.
   */
  request(lender: NodeName): PlaceRequest {
    if (this.#forgetSilent()) this.#users.onMorePlaces();
    const borrowed = this.#borrowed.get(lender) ?? { sequence: 0, held: 0, allowed: 0, usableUntil: 0 };
    this.#borrowed.set(lender, borrowed);
    const { running, waiting } = this.#users;
    const unneeded = Math.min(borrowed.held, this.#spare(running + waiting));
    const recalled = Math.min(borrowed.held - borrowed.allowed, this.#spare(running));
    borrowed.held -= Math.max(0, unneeded, recalled);
    borrowed.allowed = Math.min(borrowed.allowed, borrowed.held);
    borrowed.sequence += 1;
    const wanted = this.#isShort() ? running + waiting - this.limit : 0;
    return { sequence: borrowed.sequence, held: borrowed.held, wanted };
  }

  /**
   * Handles the answer of a lender to a request that was sent at `sentAt`. An answer to an earlier request than the latest one is
   * ignored: the lender has heard since that this node holds fewer places.
   */
  onAnswer(lender: NodeName, { sequence }: PlaceRequest, places: number, sentAt: number): void {
    const borrowed = this.#borrowed.get(lender);
    if (borrowed === undefined || borrowed.sequence !== sequence) return;
    borrowed.held = Math.max(borrowed.held, places);
    borrowed.allowed = places;
    borrowed.usableUntil = sentAt + LEASE_MS;
    this.#users.onMorePlaces();
  }

  /** Answers the request of another node: the number of this node's places that it may use from now on. */
  lend(from: NodeProcess, request: PlaceRequest): number {
    const known = this.#lent.get(from);
    if (known !== undefined && request.sequence <= known.sequence) return 0;
    this.#forgetSilent();
    const before = this.#lentPlaces();
    const lent: Lent = { ...request, heardAt: this.#now() };
    this.#lent.set(from, lent);
    const { running, waiting } = this.#users;
    const unused = this.share - running - waiting;
    const allowed = fairPart(Math.max(0, unused), [...this.#lent.values()], lent);
    lent.held += Math.max(0, Math.min(allowed - lent.held, unused - this.#lentPlaces()));
    if (this.#lentPlaces() < before) this.#users.onMorePlaces();
    const name = nodeNameOf(from);
    // It may want back what it lends; its answer to the next request says so.
    if (request.wanted > 0 && (this.#borrowed.get(name)?.held ?? 0) > 0) this.#askSoon(name);
    return Math.min(allowed, lent.held);
  }

  #lentPlaces(): number {
    let places = 0;
    for (const { held } of this.#lent.values()) places += held;
    return places;
  }

  /** The places, including those that lenders want back, minus the given number of queries; may be negative. */
  #spare(queries: number): number {
    let places = this.share - this.#lentPlaces();
    for (const { held } of this.#borrowed.values()) places += held;
    return places - queries;
  }

  #isShort(): boolean {
    return this.#users.waiting > 0 && this.#users.running >= this.limit;
  }

  #askSoon(lender: NodeName | undefined): void {
    if (this.#now() - this.#askedAt < ASK_AGAIN_MS) return;
    this.#askedAt = this.#now();
    this.#ask(lender);
  }

  /** Takes back the places of nodes that are silent. Returns whether there were any. */
  #forgetSilent(): boolean {
    const before = this.#lentPlaces();
    for (const [from, { heardAt }] of this.#lent)
      if (this.#now() - heardAt >= FORGET_AFTER_MS) this.#lent.delete(from);
    return this.#lentPlaces() < before;
  }
}

/** The part of `places` for one of the nodes: an equal part for each, as far as it could use them. */
function fairPart(places: number, nodes: readonly Lent[], node: Lent): number {
  const demand = ({ held, wanted }: Lent) => held + wanted;
  // The last one gets the remainder; among equals that is the one that has places already.
  const ascending = nodes.toSorted((a, b) => demand(a) - demand(b) || a.held - b.held);
  let rest = places;
  for (const [i, one] of ascending.entries()) {
    const part = Math.min(demand(one), Math.floor(rest / (ascending.length - i)));
    if (one === node) return part;
    rest -= part;
  }
  return 0;
}
