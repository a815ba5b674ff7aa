export { AUTO_VACUUM_DEFAULTS, type AutoVacuum, autoVacuum } from './auto-vacuum.ts';
export { ConfigError, type Violation } from './config-error.ts';
export { configurationPage } from './documentation/configuration-page.ts';
export { configurationJsonSchema } from './documentation/json-schema.ts';
export { defaultConfig, type LoadedConfig, loadConfig } from './load.ts';
export {
  LEAST_KEPT_LIMIT_BYTES,
  type MemoryShares,
  machineMemoryBytes,
  memoryLimitBytes,
  memoryShares,
} from './memory-limit.ts';
export { type ParameterInfo, parameters } from './parameters.ts';
export { type ParsedConfig, parseConfig } from './parse.ts';
export { COMPRESSION_LEVELS } from './rules/execution.ts';
export type { EngineConfig } from './schema/root.ts';
export {
  type ConfigurationValue,
  configurationValues,
  type ShownConfig,
  showConfig,
  showConfigAsYaml,
} from './show.ts';
export {
  type EngineNode,
  engineNodes,
  type StorageScheme,
  storageIsLocal,
  storageScheme,
  storageTypeOf,
} from './topology.ts';
