import {
  type FinishedSpan,
  type Logger,
  type SpanAttributes,
  type SpanSink,
  startInterval,
  startTimer,
  type Timer,
} from '@tessera/common';
import { request } from 'undici';
import type { TracingOptions } from './tracing-options.ts';

/** Spans beyond this number are dropped while the receiver does not keep up. */
const MAX_WAITING = 8_192;
const MAX_BATCH = 2_048;
const INTERVAL_MS = 1_000;
const REQUEST_MS = 10_000;
/** The longest time for which the receiver delays the end of the process. */
const CLOSE_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** Sends spans to a receiver of OTLP over HTTP, as JSON, once a second and whenever a batch is full. */
export class OtlpExporter implements SpanSink {
  readonly #options: TracingOptions;
  readonly #log: Logger;
  /** The JSON of a message up to its first span. */
  readonly #head: string;
  readonly #timer: Timer;
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #sending: Promise<void> | undefined;
  /** The last batch could not be sent; the next attempt waits for the timer. */
  #hasFailed = false;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();

  /** @param resource attributes of the process, such as `service.instance.id` */
  constructor(options: TracingOptions, resource: Readonly<Record<string, string>>, log: Logger) {
    this.#options = options;
    this.#log = log;
    const attributes = { 'service.name': options.serviceName, ...resource, ...options.resource };
    const described = `{"attributes":[${attributesText(attributes)}]}`;
    this.#head = `{"resourceSpans":[{"resource":${described},"scopeSpans":[{"scope":{"name":"tessera"},"spans":[`;
    this.#timer = startInterval(() => void this.#send(), INTERVAL_MS).unref();
  }

  samples(traceId: string): boolean {
    const { sampleRatio } = this.#options;
    return sampleRatio >= 1 || Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < sampleRatio;
  }

  take(span: FinishedSpan): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#dropped += 1;
    if (this.#waiting.length >= MAX_BATCH && !this.#hasFailed) void this.#send();
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
        this.#hasFailed = false;
      } catch (error) {
        this.#hasFailed = true;
        this.#dropped += batch.length;
        this.#warn(error);
        return;
      }
    }
  }

  async #post(spans: readonly FinishedSpan[]): Promise<void> {
    const { url, headers } = this.#options;
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(`${this.#head}${spans.map(spanText).join(',')}]}]}]}`),
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), this.#closing.signal]),
    });
    await body.dump();
    if (statusCode < 200 || statusCode > 299) throw new Error(`it answered with status ${statusCode}`);
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

/**
 * A span in the JSON form of OTLP: ids are hexadecimal, times are nanoseconds as text. The text is put together
 * here because objects for each span and attribute would cost twice the CPU time.
 */
function spanText(span: FinishedSpan): string {
  const parent = span.parentSpanId === undefined ? '' : `"parentSpanId":"${span.parentSpanId}",`;
  const status =
    span.error === undefined
      ? ''
      : `,"status":{"code":${ERROR_STATUS},"message":${JSON.stringify(span.error)}}`;
  return (
    `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}` +
    `"name":${JSON.stringify(span.name)},"kind":${KINDS[span.kind]},` +
    `"startTimeUnixNano":"${nanoseconds(span.startedAtMs)}",` +
    `"endTimeUnixNano":"${nanoseconds(Math.max(span.startedAtMs, span.endedAtMs))}",` +
    `"attributes":[${attributesText(span.attributes)}]${status}}`
  );
}

/** Microseconds since 1970 are exact in a double, nanoseconds are not. */
const nanoseconds = (ms: number): string => `${Math.round(1000 * ms)}000`;

function attributesText(attributes: SpanAttributes): string {
  const texts: string[] = [];
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) texts.push(`{"key":${JSON.stringify(key)},"value":${valueText(value)}}`);
  return texts.join(',');
}

function valueText(value: string | number | boolean): string {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value)}}`;
  if (typeof value === 'boolean') return `{"boolValue":${value}}`;
  if (Number.isSafeInteger(value)) return `{"intValue":"${value}"}`;
  return `{"doubleValue":${Number.isFinite(value) ? value : `"${value}"`}}`;
}
