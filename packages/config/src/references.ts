import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exposure } from '@tessera/common';
import type { Violation } from './config-error.ts';
import { parameterAt, pathText } from './parameters.ts';
import type { ScalarType } from './schema/parameter.ts';
import type { Source } from './source.ts';

/**
 * A reference to a value that is stored elsewhere: `${env:NAME}` in the environment, `${file:/path}` in a file.
 */
const WHOLE = /^\$\{(env|file):([^{}]+)\}$/;
const INSIDE = /\$\{(env|file):/;

/** The JSON Schema pattern of a reference. */
export const REFERENCE_PATTERN = '^\\$\\{(env|file):[^{}]+\\}$';

/** Whether a value of the file is a reference. */
export const isReference = (value: unknown): boolean => typeof value === 'string' && WHOLE.test(value);

export interface Resolved {
  /** The value of the file after all references have been resolved. */
  readonly value: unknown;
  readonly violations: readonly Violation[];
  /** Warnings about valid settings that are probably a mistake. */
  readonly warnings: readonly Violation[];
}

/**
 * The environment in which references are resolved. Relative paths start at the directory of `file`, the configuration
 * file.
 */
export interface Surroundings {
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Replaces every reference by its value, converted to the type of its parameter. */
export function resolveReferences(source: Source, surroundings: Surroundings): Resolved {
  const violations: Violation[] = [];
  const warnings: Violation[] = [];
  const at = (path: readonly PropertyKey[], message: string): Violation => ({
    line: source.lineOf(path),
    path: pathText(path),
    message,
  });
  const resolved = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(value)) return value.map((element, i) => resolved(element, [...path, i]));
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolved(v, [...path, k])]));
    const type = parameterAt(path)?.type;
    if (typeof value !== 'string' || !INSIDE.test(value) || type === undefined) return value;
    try {
      if (type === 'object' || type === 'object[]')
        throw new Error(`a reference cannot stand for ${BLOCK[type]}`);
      const text = textBehind(value, surroundings, (warning) => {
        if (type === 'string') warnings.push(at(path, warning));
      });
      return typed(text, type);
    } catch (error) {
      violations.push(at(path, (error as Error).message));
      return value;
    }
  };
  return { value: resolved(source.value, []), violations, warnings };
}

const BLOCK = { object: 'a block of parameters', 'object[]': 'a list of blocks' };
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Parses the text as YAML does for a value of the type. A text that is not valid for the type remains text. */
function typed(text: string, type: ScalarType): unknown {
  if (type === 'string') return text;
  const trimmed = text.trim();
  if ((type === 'integer' || type === 'float') && NUMBER.test(trimmed)) return Number(trimmed);
  return (type === 'boolean' ? BOOLEANS[trimmed.toLowerCase()] : undefined) ?? trimmed;
}

/** @throws Error with the reason why there is no value */
function textBehind(
  text: string,
  { file, environment }: Surroundings,
  warn: (message: string) => void,
): string {
  const [, kind, name] = WHOLE.exec(text) ?? [];
  if (name === undefined) throw new Error('a reference must be the whole value');
  if (kind === 'env') return notEmpty(environment[name], `the environment variable ${name}`);
  const path = resolve(dirname(file), name);
  const content = fileContent(path);
  if (exposure(statSync(path)) === 'everybody') warn(`${path} can be read by every user of this machine`);
  return notEmpty(content, path);
}

function fileContent(path: string): string {
  try {
    // Editors and `echo` end a file with a line break, which is not part of the secret.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`);
  }
}

function notEmpty(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`${what} is not set`);
  if (value === '') throw new Error(`${what} is empty`);
  return value;
}
