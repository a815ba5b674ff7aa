import { afterEach, expect, test, vi } from 'vitest';
import {
  childSpan,
  type FinishedSpan,
  inSpan,
  parseTraceparent,
  presentSpan,
  recordSpan,
  recordSpans,
  startTrace,
  traced,
  tracedIfLong,
  traceparentOf,
} from './tracing.ts';

const REMOTE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

let stop = () => {};
afterEach(() => stop());

function recorded(samples = true): FinishedSpan[] {
  const spans: FinishedSpan[] = [];
  stop = recordSpans({ take: (span) => spans.push(span), samples: () => samples });
  return spans;
}

test('a traceparent is read as the standard says', () => {
  expect(parseTraceparent(`00-${REMOTE.traceId}-${REMOTE.spanId}-01`)).toEqual({
    ...REMOTE,
    isSampled: true,
  });
  expect(parseTraceparent(`00-${REMOTE.traceId}-${REMOTE.spanId}-00`)).toMatchObject({ isSampled: false });
  expect(parseTraceparent(`cc-${REMOTE.traceId}-${REMOTE.spanId}-01-more`)).toMatchObject(REMOTE);
  for (const wrong of [
    '',
    `ff-${REMOTE.traceId}-${REMOTE.spanId}-01`,
    `00-${'0'.repeat(32)}-${REMOTE.spanId}-01`,
    `00-${REMOTE.traceId}-${'0'.repeat(16)}-01`,
    `00-${REMOTE.traceId.toUpperCase()}-${REMOTE.spanId}-01`,
  ])
    expect(parseTraceparent(wrong), wrong).toBeUndefined();
});

test('spans of a request form a tree below the span of the client', async () => {
  const spans = recorded();
  const request = startTrace('query', traceparentOf(REMOTE), { user: 'ada' });
  await inSpan(request, () =>
    traced('plan', {}, async () => {
      await new Promise(setImmediate);
      recordSpan('get', 0.5, { key: 'a' });
      expect(presentSpan()?.traceId).toBe(REMOTE.traceId);
    }),
  );
  await expect(
    inSpan(request, () => traced('run', {}, () => Promise.reject(new Error('no')))),
  ).rejects.toThrow();
  request!.set({ rows: 1 });
  request!.end();
  request!.end();
  const [get, plan, run, query] = spans;
  expect(spans).toHaveLength(4);
  expect(query).toMatchObject({ name: 'query', kind: 'server', parentSpanId: REMOTE.spanId });
  expect(query!.attributes).toEqual({ user: 'ada', rows: 1 });
  expect(plan).toMatchObject({ parentSpanId: query!.spanId, error: undefined });
  expect(get).toMatchObject({ parentSpanId: plan!.spanId, kind: 'client' });
  expect(get!.endedAtMs - get!.startedAtMs).toBeCloseTo(500);
  expect(run).toMatchObject({ parentSpanId: query!.spanId, error: 'no' });
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([REMOTE.traceId]));
});

test('a wait is recorded if it took a millisecond or failed', async () => {
  const spans = recorded();
  const clock = vi.spyOn(performance, 'now');
  const waited = (ms: number, wait: () => Promise<unknown>) => {
    clock.mockReturnValueOnce(0).mockReturnValueOnce(ms);
    return inSpan(REMOTE, () => tracedIfLong('admission', wait));
  };
  expect(await waited(0.9, async () => 'at once')).toBe('at once');
  expect(await waited(1, async () => 'later')).toBe('later');
  await expect(waited(0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const [later, refused] = spans;
  expect(spans).toHaveLength(2);
  expect(later).toMatchObject({ name: 'admission', kind: 'internal', parentSpanId: REMOTE.spanId });
  expect(later!.endedAtMs - later!.startedAtMs).toBeCloseTo(1);
  expect(refused).toMatchObject({ error: 'no' });
});

test('nothing is recorded without a sink, outside of a trace, or in a trace that is not sampled', async () => {
  expect(startTrace('query', traceparentOf(REMOTE))).toBeUndefined();
  expect(await traced('plan', {}, async () => presentSpan())).toBeUndefined();
  const spans = recorded(false);
  expect(startTrace('query', undefined)).toBeUndefined();
  expect(startTrace('query', `00-${REMOTE.traceId}-${REMOTE.spanId}-00`)).toBeUndefined();
  recordSpan('get', 1, {});
  expect(childSpan('stage')).toBeUndefined();
  expect(await traced('plan', {}, async () => 1)).toBe(1);
  expect(spans).toEqual([]);
});
