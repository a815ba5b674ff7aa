export { ConfigError, type Violation } from './config-error.ts';
export { defaultConfig, type LoadedConfig, loadConfig } from './load.ts';
export { memoryLimitBytes } from './memory-limit.ts';
export { type ParameterInfo, parameters } from './parameters.ts';
export { parseConfig } from './parse.ts';
export type { EngineConfig } from './schema/root.ts';
