import { TesseraError } from '@tessera/common';
import type { QueryParameter } from '@tessera/sql';

/**
 * Parses `query_parameters=[{"name":"$1","value":1},…]`.
 * @throws TesseraError INVALID_ARGUMENT that names the invalid element
 */
export function parseQueryParameters(text: string | undefined): QueryParameter[] {
  if (text === undefined || text.trim() === '') return [];
  const list = parseJson(text);
  if (!Array.isArray(list)) throw invalid('expected a JSON array of {"name", "value"} objects');
  const seen = new Set<string>();
  return list.map((element: unknown, index) => {
    const parameter = readParameter(element, index);
    if (seen.has(parameter.name)) throw invalid(`${parameter.name} is specified twice`);
    seen.add(parameter.name);
    return parameter;
  });
}

/**
 * Parses JSON and keeps the source text of numbers: a 64-bit integer does not survive a double, and `1.0` is
 * a fraction.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, function (this: unknown, _key, value: unknown, context?: { source?: string }) {
      return typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value;
    } as (key: string, value: unknown) => unknown);
  } catch (error) {
    throw invalid(`not valid JSON (${(error as Error).message})`);
  }
}

class JsonNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

function readParameter(element: unknown, index: number): QueryParameter {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    throw invalid(`element ${index + 1} is not an object`);
  }
  const { name, value } = element as { name?: unknown; value?: unknown };
  if (typeof name !== 'string' || name === '') throw invalid(`element ${index + 1} has no "name"`);
  if (value === undefined) throw invalid(`${name} has no "value"`);
  return { name, value: readValue(name, value) };
}

function readValue(name: string, value: unknown): QueryParameter['value'] {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof JsonNumber) {
    return /^-?\d+$/.test(value.source) ? BigInt(value.source) : Number(value.source);
  }
  throw invalid(`${name}: a value is a number, a string, a boolean or null`);
}

const invalid = (what: string) =>
  TesseraError.of('INVALID_ARGUMENT', { message: `query_parameters: ${what}` });
