import { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Value = number | undefined;
type Labels<L extends string> = Readonly<Record<L, string>>;

/** The metrics of one process, by name. */
export class MetricSet {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: this.#registers });
  }

  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: readonly number[],
  ): Histogram<L> {
    return new Histogram({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: this.#registers,
    });
  }

  /** A gauge that is read at each scrape; it is omitted while it has no value. */
  gauge(name: string, help: string, read: () => Value | Promise<Value>): void {
    this.gauges(name, help, [], async () => {
      const value = await read();
      return value === undefined ? [] : [[{}, value]];
    });
  }

  /** Several gauges with one name, distinguished by labels. */
  gauges<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: () => Samples<L> | Promise<Samples<L>>,
  ): void {
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: this.#registers,
      async collect() {
        const samples = await read();
        if (labelNames.length > 0) gauge.reset();
        else gauge.remove();
        for (const [labels, value] of samples) gauge.set(labels, value);
      },
    });
  }

  /** A counter whose value is kept elsewhere. */
  total(name: string, help: string, read: () => number): void {
    this.totals(name, help, [], () => [[{}, read()]]);
  }

  /** Several counters with one name, distinguished by labels. */
  totals<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: () => Samples<L>,
  ): void {
    const counter: Counter<L> = new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: this.#registers,
      collect() {
        counter.reset();
        for (const [labels, value] of read()) counter.inc(labels, value);
      },
    });
  }
}

export type Samples<L extends string> = Iterable<readonly [Labels<L>, number]>;
