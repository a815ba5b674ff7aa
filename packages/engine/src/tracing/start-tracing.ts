import { type Logger, recordSpan, recordSpans } from '@tessera/common';
import { storeRequests } from '@tessera/object-store';
import { OtlpExporter } from './otlp-exporter.ts';
import { tracingOptions } from './tracing-options.ts';

/**
 * Records spans and sends them to the receiver that OpenTelemetry's variables name; without one, nothing
 * happens. The returned function sends the remaining spans and stops recording.
 * @throws TesseraError INVALID_ARGUMENT for a variable that cannot be used
 */
export function startTracing(
  env: Readonly<Record<string, string | undefined>>,
  resource: Readonly<Record<string, string>>,
  log: Logger,
): () => Promise<void> {
  const options = tracingOptions(env);
  if (options === undefined) return async () => {};
  const exporter = new OtlpExporter(options, resource, log);
  const stopRecording = recordSpans(exporter);
  const stopListening = storeRequests.listen(({ operation, key, outcome, seconds, ...bytes }) =>
    recordSpan(
      `object store ${operation}`,
      seconds,
      {
        'tessera.object.key': key,
        'tessera.bytes_read': bytes.bytesRead,
        'tessera.bytes_written': bytes.bytesWritten,
      },
      { error: outcome === 'ok' || outcome === 'refused' ? undefined : outcome },
    ),
  );
  log.info({ url: options.url, sampleRatio: options.sampleRatio }, 'traces are sent to a receiver');
  return async () => {
    stopListening();
    stopRecording();
    await exporter.close();
  };
}
