import { nearestName } from '@tessera/common';
import { ConfigError, type Violation } from './config-error.ts';
import { parameterAt, pathText } from './parameters.ts';
import { type EngineConfig, root } from './schema/root.ts';
import { readSource, type Source } from './source.ts';

/** Checks the text of a configuration file. Throws ConfigError with everything that is wrong. */
export function parseConfig(text: string, fileName: string): { readonly config: EngineConfig } {
  const source = readSource(text);
  const result = root.safeParse(source.value);
  if (result.success) return { config: result.data };
  throw new ConfigError(fileName, []);
}
