import { createRequire } from 'node:module';
import type { Logger as PinoLogger } from 'pino';
import type { LogComponent } from './components.ts';
import { redact } from './redaction.ts';
import { LOG_LEVELS, type LoggingSettings, type LogLevel } from './settings.ts';
import { type OpenSink, openSink } from './sink.ts';

/** The library is loaded with the first logger, because kernel processes and most commands log nothing. */
const require = createRequire(import.meta.url);

/** The logger of a component: `log.info({ queryId }, 'query finished')`. */
export type Logger = Pick<PinoLogger, LogLevel | 'child' | 'isLevelEnabled'>;

export interface Logging {
  /** Returns the logger of a component, always the same one for a name. */
  logger(component: LogComponent): Logger;
  /** Reopens the files of file sinks, for log rotation (SIGHUP). */
  reopen(): void;
  /** Writes all pending lines and closes the files; later lines are dropped. */
  close(): Promise<void>;
}

export interface LoggingOptions {
  /** The fields of every line, such as the node. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whether the text format on stderr is coloured. */
  readonly colour?: boolean;
  /** The file descriptor of the stderr sink; 2 by default. */
  readonly stderrFd?: number;
}

/**
 * Opens the sinks and hands out loggers. A line reaches a sink when it is at least of the sink's own level, or, for a
 * sink without one, of `logging.level`; a component with a level of its own logs nothing below that, and reaches
 * sinks without a level from there on. Throws the error of the file system when a file cannot be opened.
 */
export function createLogging(settings: LoggingSettings, options: LoggingOptions = {}): Logging {
  const sinks = (settings.sinks ?? [{ type: 'stderr', level: null, file: null }]).map((sink) =>
    openSink(sink, {
      format: settings.format,
      colour: options.colour ?? false,
      stderrFd: options.stderrFd ?? 2,
    }),
  );
  const levels = new Map<string, LogLevel>(settings.components.map((c) => [c.name, c.level]));
  const loggers = new Map<string, Logger>();
  const logging: Logging = {
    logger(component) {
      const known = loggers.get(component);
      if (known !== undefined) return known;
      const logger = componentLogger(component, levels.get(component), settings.level, sinks, options.fields);
      loggers.set(component, logger);
      return logger;
    },
    reopen() {
      for (const sink of sinks) {
        try {
          sink.reopen();
        } catch (err) {
          logging.logger('logging').error({ err }, 'a log file cannot be reopened; the old one stays in use');
        }
      }
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
  return logging;
}

function componentLogger(
  component: string,
  own: LogLevel | undefined,
  general: LogLevel,
  sinks: readonly OpenSink[],
  fields: Readonly<Record<string, unknown>> = {},
): Logger {
  const streams = sinks.map((stream) => ({ stream, level: sinkLevel(stream.level, own, general) }));
  const level = LOG_LEVELS.find((l) => streams.some((s) => s.level === l)) ?? 'fatal';
  const { multistream, pino, stdTimeFunctions } = require('pino') as typeof import('pino');
  return pino(
    {
      level,
      base: { component, ...fields },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redact },
    },
    multistream(streams),
  );
}

function sinkLevel(sink: LogLevel | null, own: LogLevel | undefined, general: LogLevel): LogLevel {
  if (sink === null) return own ?? general;
  return own === undefined || LOG_LEVELS.indexOf(sink) >= LOG_LEVELS.indexOf(own) ? sink : own;
}
