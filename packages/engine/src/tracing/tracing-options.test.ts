import { expect, test } from 'vitest';
import { tracingOptions } from './tracing-options.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test('tracing is off unless a receiver is named', () => {
  expect(tracingOptions({})).toBeUndefined();
  expect(tracingOptions({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeUndefined();
  expect(tracingOptions({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(tracingOptions({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
});

test('the standard variables have their standard meaning', () => {
  expect(tracingOptions(ENDPOINT)).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    serviceName: 'tessera',
    resource: {},
    sampleRatio: 1,
  });
  expect(
    tracingOptions({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://tempo/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-scope=1',
      OTEL_SERVICE_NAME: 'orders',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
  ).toEqual({
    url: 'https://tempo/otlp',
    headers: { authorization: 'Bearer abc', 'x-scope': '1' },
    serviceName: 'orders',
    resource: { 'deployment.environment': 'test' },
    sampleRatio: 0.25,
  });
  expect(tracingOptions({ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'always_off' })?.sampleRatio).toBe(0);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT is the http/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, /OTEL_EXPORTER_OTLP_HEADERS consists of/],
  [{ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER is/],
  [{ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, /from 0 to 1, not 2/],
])('a variable that cannot be used is named: %o', (env, message) => {
  expect(() => tracingOptions(env)).toThrow(message);
});
