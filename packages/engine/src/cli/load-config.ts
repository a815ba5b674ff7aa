import type { EngineConfig, ParsedConfig } from '@tessera/config';

export interface CommandConfig {
  readonly config: EngineConfig;
  /** Undefined without a file. */
  readonly loaded: ParsedConfig | undefined;
  readonly configWarnings: readonly string[];
}

/**
 * The configuration of a command, from a file or with all defaults. On a terminal, log lines have the text format unless
 * the file says otherwise.
 * @throws ConfigError if the file is not valid
 */
export async function commandConfig(path: string | undefined): Promise<CommandConfig> {
  // It is imported here so that commands without a configuration start without loading it.
  const { defaultConfig, loadConfig } = await import('@tessera/config');
  const loaded = path === undefined ? undefined : await loadConfig(path);
  const config = loaded?.config ?? defaultConfig();
  const configWarnings = (loaded?.warnings ?? []).map(({ path, message }) => `${path}: ${message}`);
  const { logging } = config;
  if (process.stderr.isTTY !== true || logging.sinks !== null || (await isFormatGiven(loaded)))
    return { config, loaded, configWarnings };
  return { config: { ...config, logging: { ...logging, format: 'text' } }, loaded, configWarnings };
}

async function isFormatGiven(loaded: ParsedConfig | undefined): Promise<boolean> {
  if (loaded === undefined) return false;
  const { showConfig } = await import('@tessera/config');
  const { value } = showConfig(loaded, { defaults: false }) as { value: { logging?: { format?: unknown } } };
  return value.logging?.format !== undefined;
}
