import type { Streams } from '../query/streams.ts';
import { uploadProgress } from '../query/upload-progress.ts';
import type { Progress } from './result-messages.ts';

const CLEAR_LINE = '\r\u001b[2K';

/** A line on stderr that says how far the running statement is; nothing is shown if stderr is not a terminal. */
export class ProgressLine {
  readonly #stderr: Streams['stderr'];
  #isShown = false;

  constructor(stderr: Streams['stderr']) {
    this.#stderr = stderr;
  }

  show(progress: Progress): void {
    this.note(progressText(progress));
  }

  note(text: string): void {
    if (this.#stderr.isTTY !== true) return;
    this.#stderr.write(`${CLEAR_LINE}${text}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#stderr.write(CLEAR_LINE);
    this.#isShown = false;
  }

  uploading(totalBytes: number): ReturnType<typeof uploadProgress> {
    return uploadProgress(totalBytes, this.#stderr);
  }
}

/** ` 42 % · 1.2 M rows (300 k/s) · 40 MB · 3 nodes · 4.1 s`. */
export function progressText(progress: Progress): string {
  const { percent, elapsed, rows_read: rows, bytes_read: bytes, nodes } = progress;
  if (progress.status === 'SUSPENDED') return `waiting for memory or a free place · ${elapsed.toFixed(1)} s`;
  const parts = [
    percent === null ? 'running' : `${percent.toFixed(0).padStart(3)} %`,
    ...(rows > 0 ? [`${short(rows)} rows (${short(rows / Math.max(elapsed, 0.1))}/s)`] : []),
    ...(bytes > 0 ? [`${short(bytes)}B`] : []),
    ...(nodes > 1 ? [`${nodes} nodes`] : []),
    `${elapsed.toFixed(1)} s`,
  ];
  return parts.join(' · ');
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];

/** `1.2 M`, in powers of 1000. */
function short(value: number): string {
  const power = Math.min(PREFIXES.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const scaled = value / 1000 ** power;
  return (
    `${scaled.toFixed(power > 0 && scaled < 10 ? 1 : 0)} ${PREFIXES[power]}`.trimEnd() +
    (power === 0 ? ' ' : '')
  );
}
