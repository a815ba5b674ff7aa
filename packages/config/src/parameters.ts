import type { z } from 'zod';
import { type Declaration, declarationOf } from './schema/parameter.ts';
import { root } from './schema/root.ts';

/** One row of the table of parameters. */
export interface ParameterInfo extends Declaration {
  /** `engine.nodes[*].host` */
  readonly path: string;
  readonly required: boolean;
}

/** Every parameter of the file in the order of the file's documentation, a block before what is in it. */
export function parameters(): readonly ParameterInfo[] {
  return table;
}

/** The parameter a path of the file belongs to: indices stand as numbers. */
export function parameterAt(path: readonly PropertyKey[]): ParameterInfo | undefined {
  return byPath.get(path.reduce<string>((text, key) => joined(text, key), ''));
}

/** The same with the value's own place: `engine.nodes[1].host`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : joined(text, key)),
    '',
  );
}

function joined(text: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${text}[*]`;
  // A name that no parameter has may hold anything, line breaks too.
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
