import { isDeepStrictEqual } from 'node:util';
import type { CatalogState } from '@tessera/catalog';
import { asQueryId } from '@tessera/common';
import type { StoreRequest } from '../../src/log-node/effects.ts';
import { step } from '../../src/log-node/step.ts';
import { Auditor, Violation } from './auditor.ts';
import { Clockwork } from './clockwork.ts';
import { Random } from './random.ts';
import type { Moment, Scenario } from './scenario.ts';
import { type ClientSurroundings, VirtualClient } from './virtual-client.ts';
import { VirtualNode } from './virtual-node.ts';
import { virtualUlid } from './virtual-ulid.ts';

/** The time within which the cluster must work again after the last fault. */
const HEALED_WITHIN_MS = 60_000;
const TROUBLE_EVERY_MS = 250;

/** One simulated cluster. The scenario and the seed determine everything that happens in it. */
export class World implements ClientSurroundings {
  readonly epochMs = Date.UTC(2026, 0, 1);
  readonly clockwork = new Clockwork();
  readonly auditor = new Auditor();
  readonly random: Random;
  readonly nodes: readonly VirtualNode[];
  scenario: Scenario;
  /** Whether clients begin new statements. */
  open = true;
  transactions = 0;
  reads = 0;
  refusals = 0;
  collections = 0;
  crashes = 0;
  crashesAsked = 0;
  /** For each resignation while other nodes could lead, the time until the next leader. */
  readonly handovers: number[] = [];
  current: StoreRequest | undefined;
  #ulids = 0;
  readonly #pinned = new Map<symbol, { node: VirtualNode; life: number; version: number }>();

  constructor(scenario: Scenario, seed: number) {
    this.scenario = scenario;
    this.random = new Random(seed);
    this.nodes = Array.from({ length: scenario.nodes }, (_, i) => new VirtualNode(this, `n${i}`));
    if (scenario.pinsArrive) this.auditor.pinned = () => this.#versionsRead();
  }

  /** @throws Violation */
  run(): void {
    const { clockwork, random, scenario } = this;
    for (const node of this.nodes) clockwork.after(random.between(0, 200), () => node.start());
    for (let i = 0; i < scenario.clients; i++) new VirtualClient(this).start();
    clockwork.after(TROUBLE_EVERY_MS, () => this.#trouble());
    clockwork.runUntil(scenario.durationMs);
    this.#heal();
    this.#expectHealth();
    this.auditor.nothingMissing();
    this.#expectSameState();
  }

  /** Checks after `run` that a collection leaves no orphans, once uploads can be told apart from them. */
  expectNoOrphans(): void {
    const { clockwork, nodes, auditor } = this;
    let report: number | undefined;
    clockwork.runUntil(clockwork.now + 120_000, () => nodes.some(({ leads }) => leads));
    clockwork.runUntil(clockwork.now + 30_000);
    nodes
      .find(({ leads }) => leads)
      ?.ask({ kind: 'collect_garbage', limit: 0 }, (reply) => {
        if (reply.kind === 'collected') report = reply.report.objects;
      });
    clockwork.runUntil(clockwork.now + 60_000, () => report !== undefined);
    if (report === undefined)
      throw new Violation('garbage could not be collected after all faults had ended');
    const [orphan] = auditor.orphans();
    if (orphan !== undefined) throw new Violation(`${orphan} was never committed and is still there`);
    auditor.nothingMissing();
  }

  ulid(wallMs: number): string {
    return virtualUlid(wallMs, ++this.#ulids);
  }

  pin(node: VirtualNode, version: number): () => void {
    const key = Symbol();
    this.#pinned.set(key, { node, life: node.life, version });
    return () => void this.#pinned.delete(key);
  }

  *#versionsRead(): Generator<number> {
    for (const { node, life, version } of this.#pinned.values()) if (node.life === life) yield version;
  }

  handedOver(from: object): void {
    const { clockwork, nodes } = this;
    const others = () => nodes.filter((node) => node !== from && node.up);
    if (others().length === 0) return;
    const since = clockwork.now;
    const look = (): void => {
      if (others().length === 0 || !this.open) return;
      if (nodes.some((node) => node !== from && node.leads)) this.handovers.push(clockwork.now - since);
      else clockwork.after(1, look);
    };
    look();
  }

  /** Crashes the node if the scenario demands it at this moment; returns whether it did. */
  crashesNow(node: { crash(): void }, moment: Moment): boolean {
    const { crashWhen, crashes } = this.scenario;
    if (crashWhen === undefined || this.crashesAsked >= crashes || !crashWhen(moment)) return false;
    this.crashesAsked++;
    node.crash();
    return true;
  }

  #trouble(): void {
    const { random, scenario, clockwork } = this;
    if (!this.open) return;
    const share = TROUBLE_EVERY_MS / 1_000;
    for (const node of this.nodes) {
      if (random.chance(scenario.crash * share)) node.crash();
      if (scenario.leave > 0 && random.chance(scenario.leave * share)) node.leave();
      if (random.chance(scenario.pause * share)) node.pause(random.between(100, scenario.longestPauseMs));
      if (random.chance(scenario.partition * share)) node.cutOff(random.between(100, 20_000));
      if (random.chance(scenario.clockJump * share)) {
        node.jumpClock(random.between(-scenario.longestJumpMs, scenario.longestJumpMs));
      }
    }
    clockwork.after(TROUBLE_EVERY_MS, () => this.#trouble());
  }

  #heal(): void {
    this.open = false;
    this.scenario = {
      ...this.scenario,
      answerLost: 0,
      failed: 0,
      late: 0,
      triedTwice: 0,
      staleListing: 0,
      tornCheckpoint: 0,
      crashWhen: undefined,
    };
    for (const node of this.nodes) node.heal();
  }

  /** Checks that a commit succeeds again, whichever node leads. */
  #expectHealth(): void {
    const { clockwork, nodes } = this;
    const end = clockwork.now + HEALED_WITHIN_MS;
    let healthy = false;
    const attempt = () => {
      if (healthy || clockwork.now > end) return;
      for (const node of nodes) {
        if (!node.leads) continue;
        const idempotencyKey = `health-${clockwork.now}-${node.name}`;
        const transaction = {
          idempotencyKey,
          queryId: asQueryId(idempotencyKey),
          readVersion: 0,
          actions: [],
        };
        node.ask({ kind: 'commit', transaction }, (reply) => {
          if (reply.kind !== 'committed') return;
          this.auditor.acknowledged(idempotencyKey, reply.version);
          healthy = true;
        });
      }
      clockwork.after(500, attempt);
    };
    attempt();
    clockwork.runUntil(end, () => healthy);
    if (!healthy) throw new Violation('no commit succeeded after all faults had ended');
  }

  /**
   * Checks that a newly started node reaches exactly the state of the log, and that the other nodes have the
   * same state.
   */
  #expectSameState(): void {
    const { clockwork, auditor } = this;
    const fresh = new VirtualNode(this, 'fresh');
    this.scenario = { ...this.scenario, options: { ...this.scenario.options, candidate: false }, step };
    fresh.start();
    let checked = 0;
    for (const node of [fresh, ...this.nodes]) {
      const atLeast = auditor.newestAcknowledged;
      node.ask({ kind: 'latest' }, (reply) => {
        if (reply.kind !== 'snapshot') throw new Violation(`${node.name} cannot read: ${reply.kind}`);
        auditor.read(reply.catalog, atLeast);
        checked++;
        if (node !== fresh) return;
        const truth = auditor.states[reply.catalog.version]!;
        if (!isDeepStrictEqual(contentOf(reply.catalog), contentOf(truth)))
          throw new Violation(`${node.name} recovered another state than the log gives`);
      });
    }
    clockwork.runUntil(clockwork.now + 30_000, () => checked > this.nodes.length);
    if (checked !== this.nodes.length + 1) throw new Violation(`${checked} nodes could read at the end`);
  }
}

/** The content that two equal states must have in common. */
function contentOf(state: CatalogState): unknown {
  const { version, epoch, headSha256, parts } = state;
  const objects = [...parts.objects.values()].sort((a, b) => (a.object.id < b.object.id ? -1 : 1));
  const contents = objects.map(({ object }) => [
    state.tablets(object.id),
    state.tablets(object.id).map((tablet) => state.deletionVector(object.id, tablet.id)),
    state.contentsVersion(object.id),
  ]);
  const tombstones = [...state.tombstones()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [version, epoch, headSha256, parts.orphansBeforeMs, objects, contents, tombstones];
}
