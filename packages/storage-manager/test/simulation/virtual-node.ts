import { TesseraError } from '@tessera/common';
import type { Effect, Reply, RequestId, StoreAnswer, StoreRequest } from '../../src/log-node/effects.ts';
import type { Happening, NodeRequest } from '../../src/log-node/events.ts';
import { LOG_NODE_DEFAULTS, type LogNodeOptions } from '../../src/log-node/options.ts';
import type { LogNodeState } from '../../src/log-node/state.ts';
import { initialState } from '../../src/log-node/step.ts';
import { Pins } from '../../src/pins.ts';
import { type Auditor, STORE_ID, Violation } from './auditor.ts';
import type { Clockwork } from './clockwork.ts';
import type { Random } from './random.ts';
import type { Moment, Scenario } from './scenario.ts';

/** The time that a sender waits for an answer. */
const SENDER_WAITS_MS = 1_000;
const PIN_REPORT_MS = 1_000;

/** The environment of a node. */
export interface NodeSurroundings {
  readonly clockwork: Clockwork;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly auditor: Auditor;
  /** The wall clock at the start of the simulation. */
  readonly epochMs: number;
  readonly nodes: readonly { readonly leads: boolean; dispatch(happening: Happening): void }[];
  crashes: number;
  /** Called when a leader has resigned. */
  handedOver(from: object): void;
  /** The request whose answer is being handled. */
  current: StoreRequest | undefined;
  ulid(wallMs: number): string;
  crashesNow(node: { crash(): void }, moment: Moment): boolean;
}

/** A node as the driver runs it, with all faults that can occur around it. */
export class VirtualNode {
  readonly name: string;
  readonly #world: NodeSurroundings;
  /** Incremented by every start; operations of earlier lives get no answer. */
  #life = 0;
  #pausedUntil = 0;
  #cutOffUntil = 0;
  #isLeaving = false;
  #clockOffset = 0;
  #state: LogNodeState | undefined;
  #replies = new Map<RequestId, (reply: Reply) => void>();
  #nextRequest = 1;
  #inbox: Happening[] = [];
  pins = new Pins();

  constructor(world: NodeSurroundings, name: string) {
    this.#world = world;
    this.name = name;
  }

  get state(): LogNodeState | undefined {
    return this.#state;
  }
  get up(): boolean {
    return this.#state !== undefined;
  }
  get life(): number {
    return this.#life;
  }
  get wallMs(): number {
    return this.#world.epochMs + this.#world.clockwork.now + this.#clockOffset;
  }
  get leads(): boolean {
    return this.#state?.role.kind === 'leader';
  }

  start(): void {
    const life = ++this.#life;
    this.pins = new Pins();
    this.#replies = new Map();
    this.#inbox = [];
    this.#state = initialState(this.#options());
    this.dispatch({ kind: 'start' });
    const report = () => {
      if (this.#life !== life || !this.up) return;
      this.#reportPins();
      this.#world.clockwork.after(PIN_REPORT_MS, report);
    };
    report();
  }

  crash(): void {
    if (!this.up) return;
    this.#life++;
    this.#isLeaving = false;
    this.#state = undefined;
    this.#pausedUntil = 0;
    this.#world.crashes++;
    const life = this.#life;
    this.#world.clockwork.after(this.#world.random.between(100, 3_000), () => {
      if (this.#life === life) this.start();
    });
  }

  /**
   * Stops as at SIGTERM: waiting commits are answered, the leadership is handed over, and the node restarts
   * later.
   */
  leave(): void {
    if (!this.up || this.#pausedUntil > this.#world.clockwork.now) return;
    const { clockwork } = this.#world;
    const life = this.#life;
    const led = this.leads;
    const until = (done: (state: LogNodeState) => boolean, withinMs: number, then: () => void) => {
      const end = clockwork.now + withinMs;
      const look = (): void => {
        if (this.#life !== life || this.#state === undefined) return;
        if (done(this.#state) || clockwork.now >= end) then();
        else clockwork.after(10, look);
      };
      look();
    };
    this.#isLeaving = true;
    this.dispatch({ kind: 'leave' });
    until(
      ({ append, queue }) => append === undefined && queue.length === 0,
      5_000,
      () => {
        if (led && this.leads) this.#world.handedOver(this);
        this.dispatch({ kind: 'resign' });
        until(
          ({ watch }) => watch.phase !== 'finding' && watch.phase !== 'releasing',
          2_000,
          () => this.crash(),
        );
      },
    );
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#world.clockwork.now + ms);
    this.#world.clockwork.after(ms, () => this.#resume());
  }

  cutOff(ms: number): void {
    this.#cutOffUntil = this.#world.clockwork.now + ms;
  }

  jumpClock(offsetMs: number): void {
    this.#clockOffset = offsetMs;
  }

  heal(): void {
    this.#pausedUntil = 0;
    this.#resume();
    this.#cutOffUntil = 0;
    if (this.#isLeaving) this.crash();
    if (!this.up) this.start();
  }

  /** Sends a request to the node; `undefined` means that the node is down. The answer may never come. */
  ask(request: NodeRequest, answered: (reply: Reply) => void): void {
    if (!this.up) {
      answered({ kind: 'failed', error: TesseraError.of('METADATA_UNAVAILABLE', { reason: 'down' }) });
      return;
    }
    const id = this.#nextRequest++;
    this.#replies.set(id, answered);
    this.dispatch({ ...request, request: id } as Happening);
  }

  /** Delivers an event to the node, now or when it runs again. */
  dispatch(happening: Happening): void {
    if (this.#pausedUntil > this.#world.clockwork.now) this.#inbox.push(happening);
    else if (this.up) this.#step(happening);
  }

  #resume(): void {
    if (this.#pausedUntil > this.#world.clockwork.now) return;
    for (const happening of this.#inbox.splice(0)) this.dispatch(happening);
  }

  #step(happening: Happening): void {
    const { clockwork, scenario } = this.#world;
    const event = { ...happening, nowMs: this.wallMs, monotonicMs: clockwork.now };
    const { state, effects } = scenario.step(this.#state!, event);
    this.#state = state;
    if (state.role.kind === 'broken') {
      throw new Violation(
        `${this.name} stopped: ${state.role.error.message}\n${String((state.role.error.cause as Error)?.stack)}`,
      );
    }
    const life = this.#life;
    // Replies are sent first: a crash after them must find them acknowledged.
    for (const effect of effects) if (effect.kind === 'reply') this.#reply(effect.request, effect.reply);
    this.#stepped(happening);
    for (const effect of effects) if (this.#life === life) this.#do(effect);
  }

  /** Runs after the replies are sent and before any other effect is executed. */
  #stepped(happening: Happening): void {
    const { current } = this.#world;
    if (happening.kind !== 'stored' || current === undefined) return;
    this.#world.crashesNow(this, { at: 'answered', request: current, answer: happening.answer });
  }

  #reply(request: RequestId, reply: Reply): void {
    const answered = this.#replies.get(request);
    this.#replies.delete(request);
    answered?.(reply);
  }

  #do(effect: Effect): void {
    const { clockwork } = this.#world;
    if (effect.kind === 'timer') {
      const life = this.#life;
      clockwork.after(effect.delayMs, () => {
        if (this.#life === life) this.dispatch({ kind: 'timer', op: effect.op });
      });
    }
    if (effect.kind === 'store') this.#send(effect.op, effect.request);
  }

  /** Sends a request to the store, executes it, and returns the answer. Each of these steps may fail. */
  #send(op: number, request: StoreRequest): void {
    const { clockwork, random, scenario } = this.#world;
    if (this.#world.crashesNow(this, { at: 'sending', request, answer: undefined })) return;
    const life = this.#life;
    const heldByPause = random.chance(0.5);
    const unknown: StoreAnswer = { kind: 'unknown', reason: 'simulated' };
    const deliver = (answer: StoreAnswer, delayMs: number) =>
      clockwork.after(delayMs, () => {
        if (this.#life !== life) return;
        if (this.#world.crashesNow(this, { at: 'answering', request, answer })) return;
        this.#world.current = request;
        this.dispatch({ kind: 'stored', op, answer });
      });
    const lost = random.chance(scenario.failed) || this.#cutOffUntil > clockwork.now;
    if (lost) return void deliver(unknown, random.between(1, 50));
    const late = random.chance(scenario.late);
    const answerLost = random.chance(scenario.answerLost);
    const triedTwice = request.kind === 'put_if_absent' && random.chance(scenario.triedTwice);
    const arrive = (): void => {
      // The request of a suspended process may still be in its own buffer.
      if (heldByPause && this.#life === life && this.#pausedUntil > clockwork.now) {
        clockwork.after(this.#pausedUntil - clockwork.now + random.between(1, 20), arrive);
        return;
      }
      const answer = this.#world.auditor.bucket.apply(request, {
        staleListing: random.chance(scenario.staleListing),
        ulid: this.#world.ulid(this.wallMs),
      });
      if (late) return;
      // After the end of the faults, a request that was sent before is whole, too.
      if (answer.kind === 'checkpoint_stored' && random.chance(this.#world.scenario.tornCheckpoint)) {
        const { bucket } = this.#world.auditor;
        const { body } = bucket.get(answer.key)!;
        bucket.put(answer.key, body.slice(0, body.length / 2));
        this.crash();
        return;
      }
      if (this.#life === life && this.#world.crashesNow(this, { at: 'applied', request, answer })) return;
      if (answerLost) return void deliver(unknown, SENDER_WAITS_MS);
      const told: StoreAnswer = triedTwice && answer.kind === 'created' ? { kind: 'exists' } : answer;
      deliver(told, random.between(1, 25));
    };
    if (late) deliver(unknown, SENDER_WAITS_MS);
    clockwork.after(late ? random.between(900, 60_000) : random.between(1, 25), arrive);
  }

  #reportPins(): void {
    const { clockwork, random, scenario, nodes } = this.#world;
    const newest = this.#state?.catalog;
    if (newest === undefined || this.#pausedUntil > clockwork.now) return;
    const report = this.pins.report(newest.version, this.wallMs);
    for (const node of nodes) {
      if (!scenario.pinsArrive && random.chance(0.2)) continue;
      clockwork.after(node === this ? 0 : random.between(1, 20), () => {
        if (node.leads) {
          const candidateAddress = `${this.name}:1`;
          node.dispatch({ kind: 'pins', node: `${this.name}/${this.#life}`, ...report, candidateAddress });
        }
      });
    }
  }

  #options(): LogNodeOptions {
    return {
      ...LOG_NODE_DEFAULTS,
      incarnation: `${this.name}-${this.#life}`,
      address: `${this.name}:1`,
      preferred: this.name === 'n0',
      leaseMs: 3_000,
      store: { url: 'simulated', id: STORE_ID },
      ...this.#world.scenario.options,
    };
  }
}
