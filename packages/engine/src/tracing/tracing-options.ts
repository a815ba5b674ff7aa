import { TesseraError } from '@tessera/common';

export interface TracingOptions {
  /** The address that receives spans: `http://host:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, string>>;
  /** The fraction of traces that is recorded, of those that begin at a node. */
  readonly sampleRatio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The options of tracing, from OpenTelemetry's standard variables; undefined if none names a receiver.
 * @throws TesseraError INVALID_ARGUMENT for a value that cannot be used
 */
export function tracingOptions(env: Environment): TracingOptions | undefined {
  const of = (name: string) => env[name]?.trim() || undefined;
  const endpoint = of('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url =
    of('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (endpoint && `${endpoint.replace(/\/+$/, '')}/v1/traces`);
  if (url === undefined) return undefined;
  if (of('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || of('OTEL_TRACES_EXPORTER') === 'none')
    return undefined;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw invalid(`OTEL_EXPORTER_OTLP_ENDPOINT is the http:// or https:// URL of a receiver, not ${url}`);
  const headers = of('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? of('OTEL_EXPORTER_OTLP_HEADERS');
  return {
    url,
    headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', headers),
    serviceName: of('OTEL_SERVICE_NAME') ?? 'tessera',
    resource: pairs('OTEL_RESOURCE_ATTRIBUTES', of('OTEL_RESOURCE_ATTRIBUTES')),
    sampleRatio: sampleRatio(of('OTEL_TRACES_SAMPLER'), of('OTEL_TRACES_SAMPLER_ARG')),
  };
}

/** Reads `a=1,b=2`, with values in percent-encoding. */
function pairs(name: string, text = ''): Readonly<Record<string, string>> {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf('=');
      if (at < 1) throw invalid(`${name} consists of name=value pairs, separated by commas`);
      return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())];
    }),
  );
}

function sampleRatio(sampler = 'parentbased_always_on', argument = '1'): number {
  switch (sampler.replace(/^parentbased_/, '')) {
    case 'always_on':
      return 1;
    case 'always_off':
      return 0;
    case 'traceidratio': {
      const ratio = Number(argument);
      if (ratio >= 0 && ratio <= 1) return ratio;
      throw invalid(`OTEL_TRACES_SAMPLER_ARG is a number from 0 to 1, not ${argument}`);
    }
    default:
      throw invalid(
        `OTEL_TRACES_SAMPLER is parentbased_always_on, parentbased_always_off or parentbased_traceidratio, not ${sampler}`,
      );
  }
}

const invalid = (message: string) => TesseraError.of('INVALID_ARGUMENT', { message });
