import { asIncarnation, asNodeName, type NodeName, nodeProcess, SeededRandom } from '@tessera/common';
import { describe, expect, test } from 'vitest';
import { type PlaceRequest, SharedPlaces } from './shared-places.ts';

const LIMIT = 7;
const SHARES = [3, 2, 2];

/** A node with a queue: as many of its queries run as it has places. */
class Node {
  running = 0;
  waiting = 0;
  readonly name: NodeName;
  readonly places: SharedPlaces;
  /** The lenders that the node wants to ask soon; undefined stands for all of them. */
  readonly hurries: (string | undefined)[] = [];

  constructor(index: number, clock: { readonly now: number }) {
    this.name = asNodeName(`node-${index}`);
    this.places = new SharedPlaces(SHARES[index]!, () => clock.now);
    const node = this;
    this.places.use({
      get running() {
        return node.running;
      },
      get waiting() {
        return node.waiting;
      },
      onMorePlaces: () => this.#start(),
    });
    this.places.askThrough((lender) => this.hurries.push(lender));
  }

  enqueue(queries: number): void {
    this.waiting += queries;
    this.#start();
  }

  /** Ends one query; returns whether one was running. */
  finish(): boolean {
    if (this.running === 0) return false;
    this.running -= 1;
    this.#start();
    return true;
  }

  #start(): void {
    while (this.waiting > 0 && this.running < this.places.limit) {
      this.waiting -= 1;
      this.running += 1;
    }
    this.places.onUsersChanged();
  }
}

function engine() {
  const clock = { now: 0 };
  const nodes = SHARES.map((_, index) => new Node(index, clock));
  /** One ping that is answered. */
  const ping = (from: Node, to: Node) => {
    const request = from.places.request(to.name);
    from.places.onAnswer(
      to.name,
      request,
      to.places.lend(nodeProcess(from.name, asIncarnation('1')), request),
      clock.now,
    );
  };
  /** Pings of every node to every other one. */
  const round = () => {
    clock.now += 500;
    for (const from of nodes) for (const to of nodes) if (from !== to) ping(from, to);
  };
  const rounds = (count = 6) => {
    for (let i = 0; i < count; i++) round();
  };
  const running = () => nodes.map((node) => node.running);
  return { clock, nodes, ping, rounds, running };
}

describe('three nodes', () => {
  test('lend all of their places to the only one that has queries', () => {
    const { nodes, rounds, running } = engine();
    nodes[1]!.enqueue(20);
    expect(running()).toEqual([0, 2, 0]);
    rounds();
    expect(running()).toEqual([0, LIMIT, 0]);
  });

  test('request places as soon as a query waits, and return reclaimed ones at once', () => {
    const { nodes, ping, running } = engine();
    nodes[0]!.enqueue(5);
    expect(nodes[0]!.hurries).toEqual([undefined]);
    ping(nodes[0]!, nodes[1]!);
    expect(running()).toEqual([5, 0, 0]);
    nodes[1]!.enqueue(1);
    ping(nodes[1]!, nodes[0]!);
    ping(nodes[0]!, nodes[1]!);
    expect(running()).toEqual([5, 0, 0]);
    nodes[0]!.finish();
    expect(nodes[0]!.hurries.at(-1)).toBe('node-1');
    ping(nodes[0]!, nodes[1]!);
    expect(running()).toEqual([4, 1, 0]);
  });

  test('return to their shares when all of them have queries', () => {
    const { nodes, rounds, running } = engine();
    nodes[2]!.enqueue(100);
    rounds();
    nodes[0]!.enqueue(100);
    nodes[1]!.enqueue(100);
    for (let i = 0; i < LIMIT; i++) {
      nodes[2]!.finish();
      rounds(2);
      expect(running().reduce((sum, n) => sum + n)).toBe(LIMIT);
    }
    expect(running()).toEqual(SHARES);
  });

  test('divide the places of an idle one', () => {
    const { nodes, rounds, running } = engine();
    nodes[0]!.enqueue(100);
    rounds();
    nodes[1]!.enqueue(100);
    for (let i = 0; i < 40; i++) {
      nodes[i % 2]!.finish();
      rounds(2);
    }
    expect(running()).toEqual([4, 3, 0]);
  });
});

describe('a borrower that falls silent', () => {
  test('starts nothing on borrowed places when its lease has ended, before the lender takes them back', () => {
    const { clock, nodes, rounds, running } = engine();
    const [borrower, lender] = [nodes[0]!, nodes[1]!];
    borrower.enqueue(100);
    rounds();
    expect(running()).toEqual([LIMIT, 0, 0]);
    lender.enqueue(2);
    clock.now += 2_000;
    for (let i = 0; i < 2; i++) borrower.finish();
    expect(running()).toEqual([LIMIT - 2, 0, 0]);
    expect(borrower.places.limit).toBe(SHARES[0]);
    clock.now += 1_000;
    // Nodes go on pinging a node that does not answer.
    lender.places.request(borrower.name);
    expect(running()).toEqual([LIMIT - 2, 2, 0]);
  });

  test('gets its places back when it answers again, if they are still free', () => {
    const { clock, nodes, rounds, running } = engine();
    nodes[0]!.enqueue(100);
    rounds();
    clock.now += 10_000;
    for (const lender of nodes.slice(1)) lender.places.request(asNodeName('node-0'));
    nodes[1]!.enqueue(1);
    expect(running()).toEqual([LIMIT, 1, 0]);
    nodes[0]!.finish();
    rounds();
    expect(running()).toEqual([LIMIT - 1, 1, 0]);
  });
});

test('no more queries run than the limit, whatever requests and answers are lost or late', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new SeededRandom(seed);
    const { clock, nodes, rounds, running } = engine();
    const inFlight: (() => void)[] = [];
    const send = (from: Node, to: Node) => {
      const request: PlaceRequest = from.places.request(to.name);
      const sentAt = clock.now;
      inFlight.push(() => {
        const places = to.places.lend(nodeProcess(from.name, asIncarnation('1')), request);
        inFlight.push(() => from.places.onAnswer(to.name, request, places, sentAt));
      });
    };
    for (let step = 0; step < 2_000; step++) {
      const [one, other] = [nodes[random.between(0, 2)]!, nodes[random.between(0, 2)]!];
      const choice = random.between(0, 9);
      if (choice <= 1) one.enqueue(random.between(1, 4));
      else if (choice <= 4) one.finish();
      else if (choice <= 6 && one !== other) send(one, other);
      // Messages arrive in any order, and some are lost.
      else if (inFlight.length > 0) {
        const [message] = inFlight.splice(random.between(0, inFlight.length - 1), 1);
        if (random.between(0, 9) > 0) message!();
      }
      const total = running().reduce((sum, n) => sum + n);
      if (total > LIMIT) expect.fail(`seed ${seed}, step ${step}: ${running()} queries run`);
    }
    // When messages arrive again, every place is used.
    for (const node of nodes) node.enqueue(LIMIT);
    rounds(12);
    expect(running().reduce((sum, n) => sum + n)).toBe(LIMIT);
  }
});
