import { nearestName } from '@tessera/common';
import type { z } from 'zod';
import type { Violation } from './config-error.ts';
import { type ParameterInfo, parameterAt, parameters, pathText } from './parameters.ts';
import { isReference } from './references.ts';
import { declarationOf } from './schema/parameter.ts';
import { root } from './schema/root.ts';
import type { Source } from './source.ts';

/** A place where the file and the schema disagree. */
export interface Mismatch extends Violation {
  readonly at: readonly PropertyKey[];
  readonly kind: 'missing' | 'unknown' | 'wrong';
}

/** Describes each issue that zod found in terms of its parameter, once per place. */
export function mismatches(issues: readonly z.core.$ZodIssue[], source: Source): Mismatch[] {
  const found = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey([...issue.path, key], source))
      : [wrongValue(issue.path, source)],
  );
  return [...new Map(found.map((m) => [m.path, m])).values()];
}

function unknownKey(at: readonly PropertyKey[], source: Source): Mismatch {
  const name = String(at.at(-1));
  const siblings = fieldNames(at.slice(0, -1));
  const near = nearestName(name, siblings) ?? elsewhere(name);
  const hint = near === undefined ? `known here: ${siblings.join(', ')}` : `did you mean ${near}?`;
  return {
    at,
    kind: 'unknown',
    line: source.keyLineOf(at),
    path: pathText(at),
    message: `unknown parameter (${hint})`,
  };
}

function fieldNames(at: readonly PropertyKey[]): string[] {
  const fields = at.length === 0 ? declarationOf(root)!.fields : parameterAt(blockPath(at))?.fields;
  return Object.keys(fields ?? {});
}

/** An element of a list has no parameter of its own: `engine.nodes[1]` is described by `engine.nodes`. */
function blockPath(at: readonly PropertyKey[]): readonly PropertyKey[] {
  return typeof at.at(-1) === 'number' ? at.slice(0, -1) : at;
}

/** A known parameter in the wrong block is shown with its whole path. */
function elsewhere(name: string): string | undefined {
  const matches = parameters().filter((p) => p.path.split('.').at(-1) === name);
  return matches.length === 1 ? matches[0]!.path : undefined;
}

function wrongValue(at: readonly PropertyKey[], source: Source): Mismatch {
  const value = valueAt(source.value, at);
  const parameter = parameterAt(at);
  const missing = value === undefined && at.length > 0;
  return {
    at,
    kind: missing ? 'missing' : 'wrong',
    line: source.lineOf(at),
    path: pathText(at),
    message: missing
      ? `is required: ${parameter?.meaning} (expected ${expectation(parameter)})`
      : `expected ${expectation(parameter)}, got ${shown(value, at, parameter, source)}`,
  };
}

function expectation(parameter: ParameterInfo | undefined): string {
  if (parameter === undefined) return 'a block of parameters';
  return parameter.default === null ? `${parameter.expected} or null` : parameter.expected;
}

function shown(
  value: unknown,
  at: readonly PropertyKey[],
  parameter: ParameterInfo | undefined,
  source: Source,
): string {
  // The value of a reference is not shown, because it may be a secret meant for another parameter.
  if (isReference(value)) return `something else from ${value}`;
  if (parameter?.secret) return 'something else';
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a block';
  if (typeof value === 'string')
    return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  const text = source.textAt(at) ?? String(value);
  return parameter?.type === 'string' ? `${text} (write it in quotes)` : text;
}

export function valueAt(value: unknown, at: readonly PropertyKey[]): unknown {
  return at.reduce<unknown>(
    (inside, key) =>
      inside !== null && typeof inside === 'object' && Object.hasOwn(inside, key)
        ? (inside as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}
