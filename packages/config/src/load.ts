import { readFile } from 'node:fs/promises';
import { ConfigError } from './config-error.ts';
import { type ParsedConfig, parseConfig } from './parse.ts';
import { type EngineConfig, SCHEMA_VERSION } from './schema/root.ts';

export interface LoadedConfig extends ParsedConfig {
  /** The path of the file as it was given. */
  readonly path: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'the permission is missing',
  EISDIR: 'it is a directory',
};

/** Reads and checks a configuration file. Throws ConfigError, also for a file that cannot be read. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ConfigError(path, [
      { line: 0, path: '', message: `cannot be read: ${REASONS[code] ?? message}` },
    ]);
  }
  return { ...parseConfig(text, path), path };
}

/** The configuration of an engine without a configuration file. */
export function defaultConfig(): EngineConfig {
  return parseConfig(`schema_version: "${SCHEMA_VERSION}"`, 'defaults').config;
}
