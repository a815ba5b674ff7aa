import type { z } from 'zod';
import { parameterAt } from './parameters.ts';
import { type EngineConfig, root } from './schema/root.ts';

export interface Repaired {
  readonly config: EngineConfig;
  /** The places whose values were invented: rules that use them are not checked. */
  readonly madeUp: readonly (readonly PropertyKey[])[];
}

/**
 * Repairs a file that does not match the schema, so that the rules between parameters can be checked in the
 * same run: unknown and wrong values are removed, and missing ones get the example of their parameter.
 */
export function repair(value: unknown, issues: readonly z.core.$ZodIssue[]): Repaired {
  const copy = { value: structuredClone(value) };
  const madeUp: (readonly PropertyKey[])[] = [];
  let open = issues;
  // Repairing a block can reveal its own required fields, which are never nested deeper than the schema.
  while (open.length > 0) {
    for (const issue of open) madeUp.push(...mend(copy, issue));
    const result = root.safeParse(copy.value);
    if (result.success) return { config: result.data, madeUp };
    open = result.error.issues;
  }
  throw new Error('repair() was called without an issue');
}

function mend(copy: { value: unknown }, issue: z.core.$ZodIssue): (readonly PropertyKey[])[] {
  const parent = ['value', ...issue.path.slice(0, -1)].reduce<unknown>(
    (inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key],
    copy,
  ) as Record<PropertyKey, unknown> | undefined;
  if (issue.code === 'unrecognized_keys') {
    const block = issue.path.length === 0 ? copy.value : parent?.[issue.path.at(-1)!];
    for (const key of issue.keys) delete (block as Record<string, unknown>)[key];
    return [];
  }
  if (issue.path.length === 0) copy.value = {};
  else if (parent !== undefined) mendField(parent, issue.path);
  return [issue.path];
}

function mendField(parent: Record<PropertyKey, unknown>, path: readonly PropertyKey[]): void {
  const key = path.at(-1)!;
  const parameter = parameterAt(path);
  if (parameter === undefined) parent[key] = {};
  else if (parameter.required) parent[key] = parameter.example;
  else delete parent[key];
}
