import { RandomChoice } from './random-choice.ts';

/** Kinds of columns: `unique` is a BIGINT without NULLs and duplicates. */
export type Kind =
  | 'unique'
  | 'int'
  | 'big'
  | 'decimal'
  | 'double'
  | 'text'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'boolean'
  | 'bytes'
  | 'ints'
  | 'texts';

interface TableColumn {
  readonly name: string;
  readonly kind: Kind;
}

export interface RandomTable {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly TableColumn[];
  /** The SQL of plain DuckDB that creates it. */
  readonly sql: string;
}

const HOT_VALUE = 7;

/**
 * SQL of a value of each kind, computed from a number of a small domain, so that keys of different tables
 * match.
 */
const VALUE: Readonly<Record<Exclude<Kind, 'unique'>, (number: string) => string>> = {
  int: (n) => `(${n} - 3)::INTEGER`,
  big: (n) => `(${n} * 4294967296 - 5)::BIGINT`,
  decimal: (n) => `((${n} - 4) * 0.25)::DECIMAL(18, 4)`,
  double: (n) =>
    `CASE ${n} WHEN 2 THEN 'nan'::DOUBLE WHEN 3 THEN 'inf'::DOUBLE ELSE (${n} - 6) * 0.25 END::DOUBLE`,
  text: (n) => `CASE ${n} WHEN 1 THEN '' WHEN 2 THEN 'é' ELSE repeat('ab', (${n} % 9)::INTEGER) || ${n} END`,
  date: (n) => `(DATE '2023-12-28' + ${n}::INTEGER)`,
  timestamp: (n) => `(TIMESTAMP '2024-02-28 23:59:59.5' + INTERVAL 1 HOUR * ${n}::INTEGER)`,
  timestamptz: (n) => `(TIMESTAMPTZ '2024-03-30 22:00:00+00' + INTERVAL 1 HOUR * ${n}::INTEGER)`,
  boolean: (n) => `(${n} % 2 = 0)`,
  bytes: (n) => `('\\x00\\xFF' || ${n})::BLOB`,
  ints: (n) => `list_slice([${n} % 4, NULL, ${n} % 3]::INTEGER[], 1, ${n} % 4)`,
  texts: (n) => `list_slice(['a' || ${n} % 3, NULL, '']::VARCHAR[], 1, ${n} % 4)`,
};
const KINDS = Object.keys(VALUE) as Exclude<Kind, 'unique'>[];

/** Tables with keys of every kind: some skewed, some empty, some with a single row. */
export function randomTables(seed: string): RandomTable[] {
  const choice = new RandomChoice(`tables ${seed}`);
  const sizes = [
    choice.between(150, 400),
    choice.between(40, 120),
    choice.between(5, 40),
    choice.between(0, 1),
  ];
  if (choice.chance(0.3)) sizes.push(0);
  if (choice.chance(0.2)) sizes.push(choice.between(2_000, 4_000));
  const domain = choice.between(5, 30);
  return sizes.map((rows, t) => {
    const kinds = [...choice.some(KINDS, 5, 9), 'int' as const, 'text' as const];
    const columns: TableColumn[] = [{ name: 'id', kind: 'unique' }];
    const parts = ['i::BIGINT AS id'];
    for (const [c, kind] of kinds.entries()) {
      const name = `c${c}_${kind}`;
      columns.push({ name, kind });
      const salt = choice.between(0, 1e9);
      const nulls = choice.pick([0, 0, 5, 20, 95]);
      const hot = choice.pick([0, 0, 0, 30, 80]);
      const any = `(hash(i, ${salt}) % ${domain})::BIGINT`;
      const number = `(CASE WHEN hash(i, ${salt + 1}) % 100 < ${hot} THEN ${HOT_VALUE} ELSE ${any} END)`;
      parts.push(
        `CASE WHEN hash(i, ${salt + 2}) % 100 >= ${nulls} THEN ${VALUE[kind](number)} END AS ${name}`,
      );
    }
    const name = `t${t}`;
    return {
      name,
      rows,
      columns,
      sql: `CREATE TABLE ${name} AS SELECT ${parts.join(', ')} FROM range(${rows}) r(i)`,
    };
  });
}

/** A literal from the same domain as the values of the tables. */
export function literalOf(kind: Kind, choice: RandomChoice): string {
  const n = choice.between(0, 12);
  switch (kind) {
    case 'unique':
      return String(choice.between(0, 200));
    case 'int':
      return String(n - 3);
    case 'big':
      return String(BigInt(n) * 4_294_967_296n - 5n);
    case 'decimal':
      return ((n - 4) * 0.25).toFixed(2);
    case 'double':
      return `${(n - 6) * 0.25}::DOUBLE PRECISION`;
    case 'text':
      return choice.pick([`''`, `'é'`, `'${'ab'.repeat(n % 9)}${n}'`]);
    case 'date':
      return `DATE '2024-01-${String(n + 1).padStart(2, '0')}'`;
    case 'timestamp':
      return `TIMESTAMP '2024-02-29 ${String(n).padStart(2, '0')}:59:59.5'`;
    case 'timestamptz':
      return `TIMESTAMPTZ '2024-03-31 ${String(n).padStart(2, '0')}:00:00+00'`;
    case 'boolean':
      return choice.pick(['TRUE', 'FALSE']);
    case 'bytes':
      return `CAST('x${n}' AS BYTEA)`;
    case 'ints':
      return choice.pick(['CAST(ARRAY[] AS INTEGER[])', `ARRAY[${n % 4}]`, `ARRAY[${n % 4}, NULL]`]);
    case 'texts':
      return choice.pick(['CAST(ARRAY[] AS VARCHAR[])', `ARRAY['a${n % 3}', NULL]`]);
  }
}
