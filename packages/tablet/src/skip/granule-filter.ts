import { type OrderedValue, orderOf } from '../values/order.ts';

/** The decoded filter of one column in one granule. */
export type GranuleFilter =
  | {
      readonly kind: 'bloom_filter';
      /** Bit i is the (i mod 8)th highest bit of byte i / 8. */
      readonly bits: Uint8Array;
    }
  | {
      readonly kind: 'set';
      /** All values of the granule; undefined for one whose order is not known. */
      readonly values: readonly (OrderedValue | undefined)[];
    };

/**
 * The columns of the rows that a skip index stores, one row for each granule, besides one column of filters for each
 * column of the index: the number of the granule, and `HASH_IDENTITY_SQL`.
 */
export const GRANULE_COLUMN = 'granule';
export const HASHES_COLUMN = 'hashes';

/** The lowest bits of the three parts of a hash that a value sets bits by; each part has 32 bits. */
const SHIFTS = [0n, 16n, 32n] as const;
const PART_BITS = 32n;
const PART_MASK = (1n << PART_BITS) - 1n;

const WORD = 64;
const MOST_BITS = 2 ** 25;

/** The number of bits that a filter needs for this number of distinct values and this rate of false positives. */
export function bloomBits(distinct: number, falsePositiveRate: number): number {
  const perValue = -SHIFTS.length / Math.log(1 - falsePositiveRate ** (1 / SHIFTS.length));
  return Math.min(MOST_BITS, WORD * Math.ceil((Math.max(1, distinct) * perValue) / WORD));
}

/** SQL of an aggregate that builds a Bloom filter of a column, as a BLOB. NULLs are ignored; without values it is NULL. */
export function bloomFilterSql(column: string, bits: number): string {
  const sets = SHIFTS.map((shift) => {
    const part = `((hash(${column}) >> ${shift}) & ${PART_MASK})`;
    const index = `CAST((${part} * ${bits}) >> ${PART_BITS} AS INTEGER)`;
    return `bitstring_agg(${index}, 0, ${bits - 1}) FILTER (WHERE ${column} IS NOT NULL)`;
  });
  return `CAST(${sets.join(' | ')} AS BLOB)`;
}

/**
 * SQL of the hashes that Bloom filters are built of, as texts joined by commas, for the constants in its parameter: a JSON
 * array of texts.
 */
export const hashesSql = (type: string): string =>
  `SELECT string_agg(CAST(hash(CAST(v AS ${type})) AS VARCHAR), ',' ORDER BY i)
    FROM (SELECT unnest(list) AS v, generate_subscripts(list, 1) AS i FROM (SELECT from_json($1, '["VARCHAR"]') AS list))`;

/** SQL of a number that is another one if the kernel hashes values otherwise, as another version of it may. */
export const HASH_IDENTITY_SQL =
  "xor(xor(hash('tessera'), hash(42::BIGINT)), xor(hash(1.5::DECIMAL(38, 2)), hash(DATE '2024-01-01')))";

/** The largest set that is stored, in characters of JSON. */
const MOST_TEXT = 65_536;

/** SQL of an aggregate that returns all values of a column as a JSON array of texts; NULL if there are too many. */
export function valueSetSql(column: string, maxValues: number): string {
  const values = `list(DISTINCT CAST(${column} AS VARCHAR)) FILTER (WHERE ${column} IS NOT NULL)`;
  const json = `CAST(to_json(${values}) AS VARCHAR)`;
  return `CASE WHEN len(${values}) <= ${maxValues} AND strlen(${json}) <= ${MOST_TEXT} THEN ${json} END`;
}

/** Decodes the JSON of `valueSetSql`. */
export function valueSet(json: string, type: string): GranuleFilter {
  const order = orderOf(type);
  return { kind: 'set', values: (JSON.parse(json) as string[]).map((text) => order?.parse(text)) };
}

/** Whether a value with the hash may be in the granule. */
export function bloomHas(bits: Uint8Array, hash: bigint): boolean {
  const size = BigInt(bits.length * 8);
  return SHIFTS.every((shift) => {
    const index = Number((((hash >> shift) & PART_MASK) * size) >> PART_BITS);
    return (bits[index >> 3]! & (0x80 >> (index & 7))) !== 0;
  });
}
