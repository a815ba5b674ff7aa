import type { Streams } from './streams.ts';

export interface UploadProgress {
  sent(bytes: number): void;
  stop(): void;
}

const MEGABYTE = 1_000_000;
/** A smaller upload is over before a progress bar could be read. */
const WORTH_A_BAR_BYTES = 4 * MEGABYTE;

/** A progress bar on a terminal; nothing elsewhere, for small uploads, and if the size is unknown. */
export async function uploadProgress(
  totalBytes: number | undefined,
  stderr: Streams['stderr'],
): Promise<UploadProgress> {
  if (totalBytes === undefined || totalBytes < WORTH_A_BAR_BYTES || stderr.isTTY !== true)
    return { sent: () => {}, stop: () => {} };
  const { Presets, SingleBar } = await import('cli-progress');
  const bar = new SingleBar(
    {
      stream: stderr as NodeJS.WriteStream,
      clearOnComplete: true,
      hideCursor: true,
      fps: 10,
      format: 'uploading {bar} {percentage}% | {value} of {total} MB | {eta_formatted} left',
      formatValue: (value, _options, type) =>
        type === 'value' || type === 'total' ? (value / MEGABYTE).toFixed(1) : String(value),
    },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0);
  return { sent: (bytes) => bar.increment(bytes), stop: () => bar.stop() };
}
