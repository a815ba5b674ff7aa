import { mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { SonicBoom } from 'sonic-boom';
import type { LogLevel, LogSink } from './settings.ts';

/** Libraries are loaded when a sink needs them. */
const require = createRequire(import.meta.url);

/** The maximum number of bytes that wait for a slow disk or terminal; further lines are dropped. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export interface OpenSink {
  /** The level of the sink; null means that of the logger. */
  readonly level: LogLevel | null;
  write(line: string): void;
  flushSync(): void;
  /** Reopens the file under its path, for log rotation. If that fails, it throws and keeps the old file. */
  reopen(): void;
  close(): Promise<void>;
}

export interface SinkOptions {
  readonly format: 'text' | 'json';
  readonly colour: boolean;
  readonly stderrFd: number;
}

/**
 * Opens a sink immediately, so that a path that cannot be written fails the start instead of the first line.
 */
export function openSink(sink: LogSink, options: SinkOptions): OpenSink {
  const path = sink.type === 'file' ? sink.file!.path : undefined;
  const format = options.format === 'text' ? textFormat(path === undefined && options.colour) : undefined;
  const open = () => openOutput(path === undefined ? options.stderrFd : openForAppend(path));
  let output = open();
  let closed = false;
  return {
    level: sink.level,
    write(line) {
      // Work that still runs at the end may log once more; writing to a closed file would throw.
      if (!closed) output.write(format === undefined ? line : format(line));
    },
    flushSync() {
      if (!closed) output.flushSync();
    },
    reopen() {
      if (path === undefined || closed) return;
      const before = output;
      output = open();
      before.end();
    },
    close() {
      if (closed) return Promise.resolve();
      closed = true;
      return ended(output);
    },
  };
}

function openOutput(fd: number): SonicBoom {
  const { SonicBoom } = require('sonic-boom') as typeof import('sonic-boom');
  const output = new SonicBoom({ fd, sync: false, maxLength: MAX_BUFFERED_BYTES });
  // A full disk or a closed terminal must not stop the engine.
  output.on('error', () => {});
  return output;
}

function ended(output: SonicBoom): Promise<void> {
  return new Promise((resolve) => {
    output.once('close', resolve);
    output.once('error', () => resolve());
    output.end();
  });
}

function openForAppend(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o640);
}

function textFormat(colorize: boolean): (line: string) => string {
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty');
  return prettyFactory({
    colorize,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
    ignore: 'component',
    messageFormat: '{component}: {msg}',
    singleLine: true,
  });
}
