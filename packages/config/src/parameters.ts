import type { z } from 'zod';
import { type Declaration, declarationOf } from './schema/parameter.ts';
import { root } from './schema/root.ts';

/** One row of the table of parameters. */
export interface ParameterInfo extends Declaration {
  /** `engine.nodes[*].host` */
  readonly path: string;
  readonly required: boolean;
}

/** All parameters in the order of the documentation; a block precedes its parameters. */
export function parameters(): readonly ParameterInfo[] {
  return table;
}

/** The parameter to which a path of the file belongs; indices are numbers. */
export function parameterAt(path: readonly PropertyKey[]): ParameterInfo | undefined {
  return byPath.get(path.reduce<string>((text, key) => joined(text, key), ''));
}

/** The path with the indices of the value, such as `engine.nodes[1].host`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : joined(text, key)),
    '',
  );
}

function joined(text: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${text}[*]`;
  // A name that is not a parameter may contain anything, even line breaks.
  const name = /^[\w-]+$/.test(String(key)) ? String(key) : JSON.stringify(String(key));
  return text === '' ? name : `${text}.${name}`;
}

const table: readonly ParameterInfo[] = fieldsOf('', declarationOf(root)!.fields!);
const byPath = new Map(table.map((p) => [p.path, p]));

function fieldsOf(prefix: string, fields: Readonly<Record<string, z.ZodType>>): ParameterInfo[] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    const declaration = declarationOf(schema)!;
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const inside = declaration.type === 'object[]' ? `${path}[*]` : path;
    const own = { ...declaration, path, required: declaration.default === undefined };
    return [own, ...(declaration.fields === undefined ? [] : fieldsOf(inside, declaration.fields))];
  });
}
