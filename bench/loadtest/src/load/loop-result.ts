import { failureClass } from './failure-class.ts';
import { Latencies } from './latencies.ts';

/** The result of a load for one kind of requests. */
export class LoopResult {
  /** The latencies of answered requests; in an open loop, counted from the scheduled send time. */
  readonly latencies: Latencies;
  /**
   * The latencies counted from the actual send time. Equal to `latencies` if the client waits for answers.
   */
  readonly service: Latencies;
  /** How late requests were sent although a connection was free: the client's own part of `latencies`. */
  readonly lateness: Latencies;
  /** The failures by class. */
  readonly failures: Map<string, number>;
  seconds = 0;
  /** The largest number of requests that waited for a connection. */
  backlog = 0;
  /**
   * Requests that were due but unsent when the load was given up. They are in `latencies` with the time until
   * then.
   */
  unsent = 0;

  constructor(parts?: { latencies: Latencies; service: Latencies; lateness: Latencies }) {
    this.latencies = parts?.latencies ?? new Latencies();
    this.service = parts?.service ?? new Latencies();
    this.lateness = parts?.lateness ?? new Latencies();
    this.failures = new Map();
  }

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  get perSecond(): number {
    return (this.latencies.count - this.unsent) / this.seconds;
  }

  fail(error: unknown): void {
    const name = failureClass(error);
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  /** The result in a form for another process. */
  sent(): SentResult {
    const { seconds, backlog, unsent } = this;
    return {
      latencies: this.latencies.encoded(),
      service: this.service.encoded(),
      lateness: this.lateness.encoded(),
      failures: [...this.failures],
      seconds,
      backlog,
      unsent,
    };
  }

  static received({ latencies, service, lateness, failures, ...rest }: SentResult): LoopResult {
    const result = new LoopResult({
      latencies: Latencies.of(latencies),
      service: Latencies.of(service),
      lateness: Latencies.of(lateness),
    });
    for (const [name, count] of failures) result.failures.set(name, count);
    return Object.assign(result, rest);
  }
}

export interface SentResult {
  readonly latencies: string;
  readonly service: string;
  readonly lateness: string;
  readonly failures: readonly (readonly [string, number])[];
  readonly seconds: number;
  readonly backlog: number;
  readonly unsent: number;
}
