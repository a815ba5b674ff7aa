export { LOG_COMPONENTS, type LogComponent } from './components.ts';
export { createLogging, type Logger, type Logging, type LoggingOptions } from './logging.ts';
export { LOG_LEVELS, type LoggingSettings, type LogLevel, type LogSink } from './settings.ts';
