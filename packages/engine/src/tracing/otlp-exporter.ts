import {
  type FinishedSpan,
  type Logger,
  type SpanSink,
  startInterval,
  startTimer,
  type Timer,
} from '@tessera/common';
import type { TracingOptions } from './tracing-options.ts';

/** Spans beyond this number are dropped while the receiver does not keep up. */
const MAX_WAITING = 8_192;
const MAX_BATCH = 512;
const INTERVAL_MS = 1_000;
const REQUEST_MS = 10_000;
/** The longest time for which the receiver delays the end of the process. */
const CLOSE_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** Sends spans to a receiver of OTLP over HTTP, as JSON, once a second. */
export class OtlpExporter implements SpanSink {
  readonly #options: TracingOptions;
  readonly #log: Logger;
  readonly #resource: object;
  readonly #timer: Timer;
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #sending: Promise<void> | undefined;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();

  /** @param resource attributes of the process, such as `service.instance.id` */
  constructor(options: TracingOptions, resource: Readonly<Record<string, string>>, log: Logger) {
    this.#options = options;
    this.#log = log;
    const attributes = { 'service.name': options.serviceName, ...resource, ...options.resource };
    this.#resource = { attributes: Object.entries(attributes).map(attribute) };
    this.#timer = startInterval(() => void this.#send(), INTERVAL_MS).unref();
  }

  samples(traceId: string): boolean {
    const { sampleRatio } = this.#options;
    return sampleRatio >= 1 || Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < sampleRatio;
  }

  take(span: FinishedSpan): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#dropped += 1;
  }

  /** Sends the remaining spans, unless that takes too long. */
  async close(): Promise<void> {
    this.#timer.clear();
    const limit = startTimer(() => this.#closing.abort(new Error('the node has stopped')), CLOSE_MS);
    await this.#send();
    limit.clear();
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      this.#waiting = this.#waiting.slice(MAX_BATCH);
      try {
        await this.#post(batch);
      } catch (error) {
        this.#dropped += batch.length;
        this.#warn(error);
        return;
      }
    }
  }

  async #post(spans: readonly FinishedSpan[]): Promise<void> {
    const { url, headers } = this.#options;
    const scope = { name: 'tessera' };
    const body = {
      resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope, spans: spans.map(spanMessage) }] }],
    };
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), this.#closing.signal]),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  }

  #warn(error: unknown): void {
    if (performance.now() - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = performance.now();
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    this.#log.warn(
      { url: this.#options.url, dropped: this.#dropped, reason },
      'spans could not be sent to the receiver of traces',
    );
    this.#dropped = 0;
  }
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const ERROR_STATUS = 2;

/** A span in the JSON form of OTLP: ids are hexadecimal, times are nanoseconds as text. */
const spanMessage = (span: FinishedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.startedAtMs),
  endTimeUnixNano: nanoseconds(Math.max(span.startedAtMs, span.endedAtMs)),
  attributes: Object.entries(span.attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [attribute([key, value])],
  ),
  ...(span.error !== undefined && { status: { code: ERROR_STATUS, message: span.error } }),
});

const nanoseconds = (ms: number): string => String(BigInt(Math.round(1000 * ms)) * 1000n);

const attribute = ([key, value]: readonly [string, string | number | boolean]) => ({
  key,
  value:
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'boolean'
        ? { boolValue: value }
        : Number.isSafeInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
});
