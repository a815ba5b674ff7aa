import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

/** The identity of a span, as in `traceparent` of W3C Trace Context. */
export interface SpanContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
}

/** Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has ended. Times are milliseconds since 1970, with fractions. */
export interface FinishedSpan extends SpanContext {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: SpanAttributes;
  /** The message of the error that ended it. */
  readonly error: string | undefined;
}

export interface SpanSink {
  take(span: FinishedSpan): void;
  /** Whether traces that begin here are recorded. */
  samples(traceId: string): boolean;
}

/** A span that has not ended. */
export interface Span extends SpanContext {
  set(attributes: SpanAttributes): void;
  /** Ends the span; further calls have no effect. */
  end(error?: unknown): void;
}

/** See `tracedIfLong`. */
const LEAST_SECONDS = 0.001;

let sink: SpanSink | undefined;
const current = new AsyncLocalStorage<SpanContext>();

/**
 * Records spans from now on; the returned function ends that. Without a sink nothing is measured or allocated.
 */
export function recordSpans(to: SpanSink): () => void {
  sink = to;
  return () => {
    if (sink === to) sink = undefined;
  };
}

/** Starts the first span of this process for a request; undefined if the trace is not recorded. */
export function startTrace(
  name: string,
  traceparent: string | undefined,
  attributes: SpanAttributes = {},
): Span | undefined {
  if (sink === undefined) return undefined;
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (parent?.isSampled === false) return undefined;
  if (parent !== undefined) return startedSpan(name, parent, attributes, 'server');
  const traceId = hex(16);
  if (!sink.samples(traceId)) return undefined;
  return startedSpan(name, { traceId, spanId: undefined }, attributes, 'server');
}

/** Runs work whose spans belong to a span; without a span, only runs it. */
export const inSpan = <T>(span: SpanContext | undefined, work: () => T): T =>
  span === undefined ? work() : current.run(span, work);

/** Runs work within a span of its own if it belongs to a recorded trace; otherwise only runs it. */
export async function traced<T>(
  name: string,
  attributes: SpanAttributes,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = childSpan(name, attributes);
  if (span === undefined) return work(undefined);
  try {
    const result = await current.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Starts a child of the current span; undefined if no trace is recorded here. */
export function childSpan(
  name: string,
  attributes: SpanAttributes = {},
  parent: SpanContext | undefined = presentSpan(),
): Span | undefined {
  if (sink === undefined || parent === undefined) return undefined;
  return startedSpan(name, parent, attributes, 'internal');
}

/**
 * Records work as a span of its own if it failed or took a millisecond: what ends sooner says less in a trace than its
 * span would cost. Spans of the work are children of the current span.
 */
export async function tracedIfLong<T>(name: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  let error: string | undefined;
  try {
    return await work();
  } catch (cause) {
    error = messageOf(cause);
    throw cause;
  } finally {
    const seconds = (performance.now() - since) / 1000;
    if (seconds >= LEAST_SECONDS || error !== undefined)
      recordSpan(name, seconds, {}, { error, kind: 'internal' });
  }
}

/** Records work that has just ended, with its duration, as a child of the current span. */
export function recordSpan(
  name: string,
  seconds: number,
  attributes: SpanAttributes,
  { error, kind = 'client' }: Partial<Pick<FinishedSpan, 'error' | 'kind'>> = {},
): void {
  const parent = presentSpan();
  if (sink === undefined || parent === undefined) return;
  const endedAtMs = now();
  sink.take({
    traceId: parent.traceId,
    spanId: hex(8),
    parentSpanId: parent.spanId,
    name,
    kind,
    startedAtMs: endedAtMs - 1000 * seconds,
    endedAtMs,
    attributes,
    error,
  });
}

/** The span of the current work; undefined if no trace is recorded. */
export const presentSpan = (): SpanContext | undefined =>
  sink === undefined ? undefined : current.getStore();

/** The `traceparent` to send with work that belongs to a span. */
export const traceparentOf = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;

/** Parses a `traceparent`; undefined if it is invalid, which the standard says to ignore. */
export function parseTraceparent(text: string): (SpanContext & { readonly isSampled: boolean }) | undefined {
  const parts = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text.trim());
  const [, version, traceId = '', spanId = '', flags = ''] = parts ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function startedSpan(
  name: string,
  parent: { readonly traceId: string; readonly spanId: string | undefined },
  given: SpanAttributes,
  kind: FinishedSpan['kind'],
): Span {
  const [startedAtMs, spanId, { traceId }] = [now(), hex(8), parent];
  let attributes = given;
  let hasEnded = false;
  return {
    traceId,
    spanId,
    set: (more) => {
      attributes = { ...attributes, ...more };
    },
    end: (error) => {
      if (hasEnded) return;
      hasEnded = true;
      sink?.take({
        traceId,
        spanId,
        parentSpanId: parent.spanId,
        name,
        kind,
        startedAtMs,
        endedAtMs: now(),
        attributes,
        error: error === undefined ? undefined : messageOf(error),
      });
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const now = (): number => performance.timeOrigin + performance.now();

/** Random digits for the next ids: drawing the bytes of each id by itself takes longer than all the rest of a span. */
const drawn = Buffer.alloc(4096);
let digits = '';
let taken = 0;

function hex(bytes: number): string {
  if (taken + 2 * bytes > digits.length) {
    digits = randomFillSync(drawn).toString('hex');
    taken = 0;
  }
  taken += 2 * bytes;
  return digits.slice(taken - 2 * bytes, taken);
}
