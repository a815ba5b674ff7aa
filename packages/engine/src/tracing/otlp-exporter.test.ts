import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FinishedSpan, Logger } from '@tessera/common';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OtlpExporter } from './otlp-exporter.ts';
import { tracingOptions } from './tracing-options.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => void vi.useRealTimers());

const span: FinishedSpan = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentSpanId: undefined,
  name: 'query',
  kind: 'server',
  startedAtMs: 1,
  endedAtMs: 2,
  attributes: {},
  error: undefined,
};

async function exporterTo(receiver: Server) {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const warn = vi.fn();
  const options = tracingOptions({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })!;
  const exporter = new OtlpExporter(options, {}, { warn } as unknown as Logger);
  return { exporter, warn };
}

test('a receiver that does not answer delays the end of the node by two seconds', async () => {
  const silent = createServer();
  const { exporter, warn } = await exporterTo(silent);
  exporter.take(span);
  const asked = once(silent, 'request');
  let hasEnded = false;
  const closed = exporter.close().then(() => {
    hasEnded = true;
  });
  await asked;
  await vi.advanceTimersByTimeAsync(1_900);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  await closed;
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ dropped: 1, reason: 'the node has stopped' }),
    'spans could not be sent to the receiver of traces',
  );
  silent.closeAllConnections();
  silent.close();
});

test('spans that a receiver refuses are dropped, with one warning a minute', async () => {
  const bodies: string[] = [];
  const busy = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    bodies.push(body);
    response.writeHead(503).end();
  });
  const { exporter, warn } = await exporterTo(busy);
  for (const name of ['first', 'second']) {
    exporter.take({ ...span, name });
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(bodies.at(-1)).toContain(name));
  }
  await exporter.close();
  expect(bodies).toHaveLength(2);
  expect(warn.mock.calls).toEqual([
    [expect.objectContaining({ dropped: 1, reason: 'it answered with status 503' }), expect.any(String)],
  ]);
  busy.closeAllConnections();
  busy.close();
});

test('a full batch is sent at once, and every name and value is valid JSON', async () => {
  const messages: { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    messages.push(JSON.parse(body));
    response.end('{}');
  });
  const { exporter, warn } = await exporterTo(receiver);
  const attributes = {
    'db.statement': 'SELECT "ä\n"',
    ratio: 0.5,
    rows: 7,
    none: undefined,
    nan: NaN,
    ok: true,
  };
  exporter.take({ ...span, name: 'read "a"', attributes, error: 'line\nbreak' });
  for (let i = 1; i < 2_048; i++) exporter.take(span);
  await vi.waitFor(() => expect(messages).toHaveLength(1));
  const { spans } = messages[0]!.resourceSpans[0]!.scopeSpans[0]!;
  expect(spans).toHaveLength(2_048);
  expect(spans[0]).toEqual({
    traceId: span.traceId,
    spanId: span.spanId,
    name: 'read "a"',
    kind: 2,
    startTimeUnixNano: '1000000',
    endTimeUnixNano: '2000000',
    attributes: [
      { key: 'db.statement', value: { stringValue: 'SELECT "ä\n"' } },
      { key: 'ratio', value: { doubleValue: 0.5 } },
      { key: 'rows', value: { intValue: '7' } },
      { key: 'nan', value: { doubleValue: 'NaN' } },
      { key: 'ok', value: { boolValue: true } },
    ],
    status: { code: 2, message: 'line\nbreak' },
  });
  await exporter.close();
  expect(warn).not.toHaveBeenCalled();
  receiver.close();
});

test('after a failure, the next full batch waits for the timer', async () => {
  const busy = createServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(503).end()),
  );
  const { exporter, warn } = await exporterTo(busy);
  const requests = vi.fn();
  subscribe('undici:request:create', requests);
  const takeBatch = () => {
    for (let i = 0; i < 2_048; i++) exporter.take(span);
  };
  takeBatch();
  expect(requests).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(warn).toHaveBeenCalled());
  await setImmediate();
  takeBatch();
  expect(requests).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(requests).toHaveBeenCalledTimes(2));
  unsubscribe('undici:request:create', requests);
  await exporter.close();
  busy.closeAllConnections();
  busy.close();
});
