import type { BindingSession } from '@tessera/kernel';
import { type Expression, isExpression } from '../tree.ts';

/**
 * A text that is equal for expressions that mean the same of one relation: without places, the alias of the expression itself and
 * the relation's name, and with names in lower case.
 */
export function normalText(expression: Expression, alias?: string): string {
  return JSON.stringify(normal({ ...expression, alias: '' }, alias?.toLowerCase()), (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

function normal(value: unknown, alias: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => normal(item, alias));
  if (value === null || typeof value !== 'object') return value;
  const { query_location: _, ...fields } = value as Record<string, unknown>;
  if (isExpression(value) && value.class === 'COLUMN_REF') {
    const names = value.column_names.map((name) => name.toLowerCase());
    return ['column', ...(names.length > 1 && names[0] === alias ? names.slice(1) : names)];
  }
  if (isExpression(value) && value.class === 'FUNCTION') {
    const name = { function_name: value.function_name.toLowerCase(), schema: '', catalog: '' };
    return mapped({ ...fields, ...name }, alias);
  }
  return mapped(fields, alias);
}

const mapped = (fields: Record<string, unknown>, alias: string | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, normal(item, alias)]));

interface KernelFunctions {
  /** The names of aggregate functions and of macros that contain one. */
  readonly aggregates: ReadonlySet<string>;
  /** The names of functions whose values depend on more than their arguments. */
  readonly unstable: ReadonlySet<string>;
}

let known: Promise<KernelFunctions> | undefined;

/** The kernel's functions, with names in lower case. They are the same for every kernel process. */
export function kernelFunctions(session: BindingSession): Promise<KernelFunctions> {
  known ??= read(session).catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

const FUNCTIONS = `SELECT CAST(to_json(list(struct_pack(name := lower(function_name), kind := function_type, body := macro_definition,
  stability := stability))) AS VARCHAR) FROM duckdb_functions()
  WHERE function_type IN ('aggregate', 'macro') OR stability IN ('VOLATILE', 'CONSISTENT_WITHIN_QUERY')`;

async function read(session: BindingSession): Promise<KernelFunctions> {
  const text = String(await session.scalar(FUNCTIONS));
  const all = JSON.parse(text) as readonly {
    readonly name: string;
    readonly kind: 'aggregate' | 'macro' | 'scalar';
    readonly body: string | null;
    readonly stability: string | null;
  }[];
  const named = (isMeant: (one: (typeof all)[number]) => boolean) =>
    new Set(all.filter(isMeant).map(({ name }) => name));
  const aggregates = named(({ kind }) => kind === 'aggregate');
  const unstable = named(({ stability }) => stability !== null && stability !== 'CONSISTENT');
  const macros = all
    .filter(({ kind }) => kind === 'macro')
    .map(({ name, body }) => ({ name, calls: calledIn(body ?? '') }));
  for (const names of [aggregates, unstable]) {
    for (let before = -1; before !== names.size; ) {
      before = names.size;
      for (const { name, calls } of macros) if (calls.some((one) => names.has(one))) names.add(name);
    }
  }
  return { aggregates, unstable };
}

const calledIn = (body: string): readonly string[] =>
  [...body.toLowerCase().matchAll(/\b([a-z_][a-z_0-9]*)\s*\(/g)].map(([, name]) => name!);
