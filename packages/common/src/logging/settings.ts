export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The destination of log lines; `level: null` uses the global level. */
export interface LogSink {
  readonly type: 'stderr' | 'file';
  readonly level: LogLevel | null;
  readonly file: { readonly path: string } | null;
}

/** The `logging` block of the configuration file. `sinks: null` is one stderr sink at the global level. */
export interface LoggingSettings {
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  readonly components: readonly { readonly name: string; readonly level: LogLevel }[];
  readonly sinks: readonly LogSink[] | null;
}
