import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ParameterInfo, parameters } from '../src/index.ts';

interface Row {
  readonly path: string;
  readonly type: string;
  readonly required: string;
  readonly default: string;
}

const rows: Row[] = readFileSync(new URL('spec-tables.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()))
  .filter(([path, type]) => type !== undefined && path !== 'Path')
  .map(([path, type, required, value]) => ({
    path: path!,
    type: type!,
    required: required!,
    default: value!.replaceAll('`', ''),
  }));

const byPath = new Map(parameters().map((p) => [p.path, p]));

function typeInSpec(type: string): { readonly type: string; readonly values?: string[] } {
  if (!type.startsWith('enum')) return { type: type.replace(/ \(.*\)$/, '') };
  if (type === 'enum: same six levels')
    return { type: 'enum', values: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] };
  return { type: 'enum', values: [...type.matchAll(/`([^`]+)`/g)].map((m) => m[1]!) };
}

function defaultInSpec(row: Row, ours: ParameterInfo): unknown {
  if (row.default === '-') return undefined;
  if (row.default === 'null') return null;
  if (['{}', '[]', 'true', 'false'].includes(row.default)) return JSON.parse(row.default);
  if (['integer', 'float'].includes(ours.type)) return Number(row.default);
  return row.default;
}

describe('the tables of the specification', () => {
  it('have 135 rows, all of which the schema declares', () => {
    expect(rows).toHaveLength(135);
    expect(parameters().map((p) => p.path)).toHaveLength(135);
    expect(new Set(rows.map((r) => r.path))).toEqual(new Set(byPath.keys()));
  });

  it.each(rows)('$path', (row) => {
    const ours = byPath.get(row.path)!;
    const { type, values } = typeInSpec(row.type);
    expect(ours.type).toBe(type);
    expect(ours.values).toEqual(values);
    expect(ours.required ? 'required' : 'optional').toBe(row.required);
    if (row.path === 'instance.id') expect(ours.default).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    else if (ours.type === 'enum' && ours.default)
      expect(String(ours.default).toLowerCase()).toBe(row.default.toLowerCase());
    else expect(ours.default).toEqual(defaultInSpec(row, ours));
    if (type === 'float' && row.type.includes('0.0 to 1.0')) expect(ours.expected).toContain('from 0 to 1');
  });
});
