import { TesseraError } from '@tessera/common';
import type { Effect, OpId, Reply, RequestId, StoreRequest } from './effects.ts';
import type { Clocks, LogNodeState } from './state.ts';

/** One step in progress: the new state so far and the effects. */
export class Turn {
  state: LogNodeState;
  readonly effects: Effect[] = [];

  constructor(state: LogNodeState) {
    this.state = state;
  }

  get clocks(): Clocks {
    const { nowMs, monotonicMs } = this.state;
    return { nowMs, monotonicMs };
  }

  change(changes: Partial<LogNodeState>): void {
    this.state = { ...this.state, ...changes };
  }

  store(request: StoreRequest): OpId {
    const op = this.#newOp();
    this.effects.push({ kind: 'store', op, request });
    return op;
  }

  pause(delayMs: number): OpId {
    const op = this.#newOp();
    this.effects.push({ kind: 'timer', op, delayMs });
    return op;
  }

  /** Requests a pause after the `attempts`-th failure in a row. */
  backOff(attempts: number): OpId {
    const { retryMs, retryMaxMs } = this.state.options;
    return this.pause(Math.min(retryMaxMs, retryMs * 2 ** Math.min(attempts, 20)));
  }

  reply(request: RequestId, reply: Reply): void {
    this.effects.push({ kind: 'reply', request, reply });
  }

  fail(request: RequestId, error: TesseraError): void {
    this.reply(request, { kind: 'failed', error });
  }

  log(
    level: 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.effects.push({ kind: 'log', level, message, fields });
  }

  /** Returns a unique id for a put of this process; no other put ever has the same one. */
  newPutId(): string {
    const { nextPut, options } = this.state;
    this.change({ nextPut: nextPut + 1 });
    return `${options.incarnation}-${nextPut}`;
  }

  notLeader(): TesseraError {
    const { watch, options } = this.state;
    const address = watch.known?.hint?.address;
    return TesseraError.of('NOT_LEADER', {
      hint: address === undefined || address === '' || address === options.address ? undefined : address,
    });
  }

  #newOp(): OpId {
    const op = this.state.nextOp;
    this.change({ nextOp: op + 1 });
    return op;
  }
}
