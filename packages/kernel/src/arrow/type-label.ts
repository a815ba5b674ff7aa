import { type KernelField, type KernelType, SCALAR_TYPES, type ScalarTypeId } from '../types/kernel-type.ts';

/** Field metadata that names the kernel's type in JSON where Arrow only has a similar type. */
export const TYPE_METADATA_KEY = 'tessera:type';

const SCALARS: ReadonlySet<string> = new Set(SCALAR_TYPES);
const MAX_DEPTH = 100;
const INEXACT: ReadonlySet<ScalarTypeId> = new Set<ScalarTypeId>([
  'HUGEINT',
  'UUID',
  'JSON',
  'TIMESTAMPTZ_NS',
]);
/**
 * Types that the kernel exports as bytes of its internal representation, which no Arrow reader understands.
 */
const NO_ARROW_FORM: ReadonlySet<string> = new Set([
  'UHUGEINT',
  'BIGNUM',
  'BIT',
  'TIMETZ',
  'GEOMETRY',
  'VARIANT',
]);

/** The first type in `type` that has no Arrow form. */
export function withoutArrowForm(type: KernelType): string | undefined {
  if (NO_ARROW_FORM.has(type.id)) return type.id;
  for (const inner of innerTypes(type)) {
    const found = withoutArrowForm(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerTypes(type: KernelType): readonly KernelType[] {
  switch (type.id) {
    case 'LIST':
    case 'ARRAY':
      return [type.child];
    case 'STRUCT':
      return type.fields.map((f) => f.type);
    case 'UNION':
      return type.members.map((m) => m.type);
    case 'MAP':
      return [type.key, type.value];
    default:
      return [];
  }
}

export const carriesExactly = (type: KernelType): boolean =>
  type.id !== 'ENUM' &&
  type.id !== 'UNION' &&
  !INEXACT.has(type.id as ScalarTypeId) &&
  innerTypes(type).every(carriesExactly);

export const typeLabel = (type: KernelType): string => JSON.stringify(type);

/**
 * The type that a label names; undefined for a malformed label, because labels also come from untrusted
 * files.
 */
export function readTypeLabel(label: string | undefined): KernelType | undefined {
  if (label === undefined) return undefined;
  try {
    return checkedType(JSON.parse(label), 0);
  } catch {
    return undefined;
  }
}

function checkedType(value: unknown, depth: number): KernelType {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) throw new Error('not a type');
  const type = value as Record<string, unknown> & { id: string };
  switch (type.id) {
    case 'DECIMAL':
      return { id: 'DECIMAL', width: integer(type.width), scale: integer(type.scale) };
    case 'ENUM':
      return { id: 'ENUM', values: list(type.values).map(text) };
    case 'LIST':
      return { id: 'LIST', child: checkedType(type.child, depth + 1) };
    case 'ARRAY':
      return { id: 'ARRAY', child: checkedType(type.child, depth + 1), size: integer(type.size) };
    case 'STRUCT':
      return { id: 'STRUCT', fields: checkedFields(type.fields, depth) };
    case 'UNION':
      return { id: 'UNION', members: checkedFields(type.members, depth) };
    case 'MAP':
      return {
        id: 'MAP',
        key: checkedType(type.key, depth + 1),
        value: checkedType(type.value, depth + 1),
      };
    default:
      if (!SCALARS.has(type.id) || NO_ARROW_FORM.has(type.id)) throw new Error('not a type');
      return { id: type.id as ScalarTypeId };
  }
}

const checkedFields = (value: unknown, depth: number): KernelField[] =>
  list(value).map((field) => {
    const { name, type } = field as { name: unknown; type: unknown };
    return { name: text(name), type: checkedType(type, depth + 1) };
  });

function integer(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('not an integer');
  return value as number;
}
function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a text');
  return value;
}
function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value;
}
