import avsc from 'avsc';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';

const MAX_DEPTH = 64;

/** A type with a logical type: its attributes and the underlying type. */
export class AnnotatedType extends avsc.types.LogicalType {
  readonly attributes: {
    readonly logicalType: string;
    readonly precision?: unknown;
    readonly scale?: unknown;
  };

  constructor(schema: avsc.Schema, options?: unknown) {
    super(schema, options);
    this.attributes = schema as unknown as AnnotatedType['attributes'];
  }
}

const LOGICAL_TYPES = [
  'decimal',
  'uuid',
  'date',
  'time-millis',
  'time-micros',
  'timestamp-millis',
  'timestamp-micros',
  'timestamp-nanos',
  'local-timestamp-millis',
  'local-timestamp-micros',
  'local-timestamp-nanos',
  'duration',
];

/**
 * Parses the schema of a container file. Defaults, aliases and docs are ignored: the writer's schema reads the data.
 * @param options of avsc; by default, values of unions are wrapped, and logical types are instances of `AnnotatedType`
 */
export function parseSchema(text: string, options: Partial<avsc.ForSchemaOptions> = {}): avsc.Type {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new DecodeError('the schema in its header is not JSON', { cause });
  }
  const schema = essence(json, 0) as avsc.Schema;
  try {
    return avsc.Type.forSchema(schema, {
      wrapUnions: 'always',
      logicalTypes: Object.fromEntries(LOGICAL_TYPES.map((name) => [name, AnnotatedType])),
      ...options,
    } as unknown as avsc.ForSchemaOptions);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeError(`the schema in its header is not valid: ${decodeName(reason)}`, { cause });
  }
}

/** Decodes a name that `encodeName` has encoded. */
export function decodeName(name: string): string {
  return name.replace(/_x([0-9a-f]+)_/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/**
 * The part of a schema that matters for reading, with names that avsc accepts: Java writes `Outer$Inner`,
 * other writers use spaces and dashes, and avsc refuses them all. Defaults are dropped, because real files
 * have some that do not match their field.
 */
function essence(node: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new UnsupportedError(`A schema nested deeper than ${MAX_DEPTH} levels`);
  if (typeof node === 'string') return encodeName(node);
  if (Array.isArray(node)) return node.map((branch) => essence(branch, depth + 1));
  if (typeof node !== 'object' || node === null) return node;
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === 'name') kept[key] = typeof value === 'string' ? encodeName(value, '.') : value;
    else if (key === 'namespace') kept[key] = typeof value === 'string' ? encodeName(value) : value;
    else if (key === 'symbols') kept[key] = Array.isArray(value) ? value.map(encodeSymbol) : value;
    else if (key === 'fields') kept[key] = Array.isArray(value) ? value.map((f) => field(f, depth)) : value;
    else if (key === 'type' || key === 'items' || key === 'values') kept[key] = essence(value, depth + 1);
    else if (['size', 'logicalType', 'precision', 'scale'].includes(key)) kept[key] = value;
  }
  return kept;
}

function field(node: unknown, depth: number): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const { name, type } = node as { name?: unknown; type?: unknown };
  return { name: typeof name === 'string' ? encodeName(name, '') : name, type: essence(type, depth + 1) };
}

function encodeSymbol(symbol: unknown): unknown {
  return typeof symbol === 'string' ? encodeName(symbol, '') : symbol;
}

/** Encodes a name reversibly. Dots separate namespaces, except in field names and symbols. */
function encodeName(name: string, separator = '.'): string {
  const encode = (character: string) => `_x${character.codePointAt(0)!.toString(16)}_`;
  return name
    .split(separator === '' ? /(?!)/ : separator)
    .map((part) =>
      part
        .replace(/_(?=x[0-9a-f]+_)/g, encode)
        .replace(/[^A-Za-z0-9_]/gu, encode)
        .replace(/^[0-9]/, encode),
    )
    .join('.');
}
