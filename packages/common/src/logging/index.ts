export { createLogging, type Logger, type Logging, type LoggingOptions } from './logging.ts';
export { LOG_LEVELS, type LoggingSettings, type LogLevel, type LogSink } from './settings.ts';
