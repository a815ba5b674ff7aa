import type { SqlType, ValueFormat } from '@tessera/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryParameter } from '../src/values/parameters.ts';
import { wireType } from '../src/values/type-oids.ts';
import goldens from './goldens/values.json' with { type: 'json' };
import { WireDialect } from './wire-dialect.ts';

let dialect: WireDialect;
beforeAll(async () => {
  dialect = await WireDialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const values = goldens.values.map((golden) => ({ ...golden, name: `${golden.sql} (${golden.zone})` }));

/** A NULL JSON value has no type of its own in an expression of the kernel. */
const one = async (sql: string, format: ValueFormat, options = {}) => {
  const { columns, rows } = await dialect.rows(sql, [format], options);
  return { type: columns[0]!.type, cell: rows[0]![0]! };
};

describe('a value is what PostgreSQL has for it', () => {
  it.each(values)('$name', async ({ sql, zone, oid, text, binary }) => {
    const asText = await one(`SELECT ${sql}`, 'text', { timeZone: zone });
    expect(wireType(asText.type).oid).toBe(oid);
    expect(asText.cell?.toString('utf8') ?? null).toBe(text);
    const asBinary = await one(`SELECT ${sql}`, 'binary', { timeZone: zone });
    expect(asBinary.cell?.toString('hex') ?? null).toBe(binary);
  });
});

describe('a parameter is the value that PostgreSQL makes of its bytes', () => {
  it.each(values)('$name', async ({ sql, zone, oid, text, binary }) => {
    const { type }: { type: SqlType } = await one(`SELECT ${sql}`, 'text', { timeZone: zone });
    const bytesOf = { text: text === null ? null : Buffer.from(text), binary: hex(binary) };
    for (const format of ['text', 'binary'] as const) {
      const parameter = queryParameter(1, { oid, format, bytes: bytesOf[format] }, type);
      const { cell } = await one('SELECT $1 AS v', 'text', { timeZone: zone, parameters: [parameter] });
      expect(cell?.toString('utf8') ?? null, format).toBe(text);
    }
  });
});

const hex = (digits: string | null): Buffer | null => (digits === null ? null : Buffer.from(digits, 'hex'));
