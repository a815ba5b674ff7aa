import { defaultConfig, type EngineConfig, loadConfig, type ParsedConfig, showConfig } from '@tessera/config';

export interface CommandConfig {
  readonly config: EngineConfig;
  /** Undefined without a file. */
  readonly loaded: ParsedConfig | undefined;
}

/**
 * The configuration of a command, from a file or with all defaults. On a terminal, log lines have the text format unless
 * the file says otherwise.
 * @throws ConfigError if the file is not valid
 */
export async function commandConfig(path: string | undefined): Promise<CommandConfig> {
  const loaded = path === undefined ? undefined : await loadConfig(path);
  const config = loaded?.config ?? defaultConfig();
  const { logging } = config;
  if (process.stderr.isTTY !== true || logging.sinks !== null || isFormatGiven(loaded))
    return { config, loaded };
  return { config: { ...config, logging: { ...logging, format: 'text' } }, loaded };
}

function isFormatGiven(loaded: ParsedConfig | undefined): boolean {
  if (loaded === undefined) return false;
  const { value } = showConfig(loaded, { defaults: false }) as { value: { logging?: { format?: unknown } } };
  return value.logging?.format !== undefined;
}
