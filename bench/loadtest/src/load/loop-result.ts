import { failureClass } from './failure-class.ts';
import { Latencies } from './latencies.ts';

/** What a load came to, of one kind of requests. */
export class LoopResult {
  /** Of requests that were answered: of an open loop from when they were to be sent. */
  readonly latencies: Latencies;
  /** From when they were sent. The same, where the client waits for answers before it sends. */
  readonly service: Latencies;
  /** How late requests left although a connection was free: the client's own part in `latencies`. */
  readonly lateness: Latencies;
  /** By class. */
  readonly failures: Map<string, number>;
  seconds = 0;
  /** The most requests that waited for a connection at once. */
  backlog = 0;
  /** Requests that were due and had not been sent when the load was given up. They are in `latencies` with the time until then. */
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

  /** For another process. */
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
