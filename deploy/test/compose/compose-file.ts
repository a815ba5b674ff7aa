import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const WORKSPACE = join(import.meta.dirname, '../../..');

export interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly profiles?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** Reads the file with its variables and merge keys replaced. @throws Error if a variable has no value */
export function readComposeFile(environment: Readonly<Record<string, string>> = {}): ComposeFile {
  const text = readFileSync(join(WORKSPACE, 'docker-compose.yml'), 'utf8');
  return parse(interpolated(text, environment), { merge: true }) as ComposeFile;
}

const VARIABLE = /\$(?:(\$)|\{(\w+)(?::-([^{}]*))?\}|(?=.))/g;

function interpolated(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (whole, dollar, name, preset) => {
    if (dollar !== undefined) return dollar;
    // An empty variable gets the default too, as `:-` specifies.
    const value = (name && environment[name]) || preset;
    if (value === undefined) throw new Error(`${whole}${name ?? ''} has no value`);
    return value;
  });
}

/** Returns the services that are nodes, ordered by the number in their name. */
export const nodeServices = ({ services }: ComposeFile): readonly (readonly [string, Service])[] =>
  Object.entries(services).filter(([name]) => name.startsWith('node-'));

/** Splits a command into words; ours contains no quotes. */
export const commandOf = (command: Service['command'] = []): readonly string[] =>
  typeof command === 'string' ? command.split(' ') : command;
