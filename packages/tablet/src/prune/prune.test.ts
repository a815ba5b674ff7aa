import { readFileSync } from 'node:fs';
import type { TableObject } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { HybridHeader } from '../header/hybrid-header.ts';
import type { Conjunct } from '../predicate.ts';
import { readHeader } from '../read/read-header.ts';
import { tableOf, testTablets } from '../testing/test-tablets.ts';
import type { WrittenTablet } from '../write/write-options.ts';
import { pruneGranules } from './prune-granules.ts';
import { pruneTablets } from './prune-tablets.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

/** Few values, so that random predicates match some; edge cases are among them. */
const COLUMNS = {
  i: { type: 'INTEGER', values: ['-3', '0', '1', '7', '100'] },
  t: {
    type: 'VARCHAR',
    values: ['', 'a', 'ab', 'b', 'é', '\uffff', '🎉', `${'long'.repeat(17)}a`, `${'long'.repeat(17)}b`],
  },
  d: { type: 'DOUBLE', values: ['nan', 'inf', '-inf', '-0.0', '0.1', '2.5'] },
  m: { type: 'DECIMAL(18,2)', values: ['-1.00', '0.05', '12345678901234.56'] },
  z: { type: 'TIMESTAMPTZ', values: ['2024-01-01 00:00:00+00', '2024-01-01 02:00:00+02', 'infinity'] },
  f: { type: 'FLOAT', values: ['0.1', '0.2', '-5'] },
} as const;
type Name = keyof typeof COLUMNS;
const names = Object.keys(COLUMNS) as Name[];

const conjunct: fc.Arbitrary<Conjunct> = fc.letrec<{ one: Conjunct }>((tie) => {
  const column = fc.constantFrom(...names).chain((name) => {
    const value = fc.constantFrom(...COLUMNS[name].values);
    return fc.oneof(
      fc.record({
        kind: fc.constant('compare' as const),
        column: fc.constant(name),
        operator: fc.constantFrom('=' as const, '<', '<=', '>', '>=', '<>'),
        value,
      }),
      fc.record({
        kind: fc.constant('in' as const),
        column: fc.constant(name),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('null' as const), column: fc.constant(name), isNull: fc.boolean() }),
    );
  });
  const branches = fc.array(fc.array(tie('one'), { minLength: 1, maxLength: 2 }), {
    minLength: 1,
    maxLength: 3,
  });
  return {
    one: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      column,
      column,
      branches.map((b) => ({ kind: 'or' as const, branches: b })),
    ),
  };
}).one;

function sqlOf(predicate: Conjunct): string {
  const typed = (column: string, value: string) => `${quoteText(value)}::${COLUMNS[column as Name].type}`;
  switch (predicate.kind) {
    case 'compare':
      return `${predicate.column} ${predicate.operator} ${typed(predicate.column, predicate.value)}`;
    case 'in':
      return `${predicate.column} IN (${predicate.values.map((value) => typed(predicate.column, value)).join(', ')})`;
    case 'null':
      return `${predicate.column} IS ${predicate.isNull ? '' : 'NOT '}NULL`;
    case 'or':
      return `(${predicate.branches.map((branch) => branch.map(sqlOf).join(' AND ')).join(' OR ')})`;
  }
}

const pick = (name: Name, seed: string) => {
  const { type, values } = COLUMNS[name];
  const literals = [...values.map(quoteText), 'NULL'].map((value) => `${value}::${type}`);
  return `[${literals.join(', ')}][(hash(${seed}) % ${literals.length} + 1)::BIGINT] AS ${name}`;
};

/**
 * A tablet sorted by two columns, in granules of a few rows: the body has row groups as small as the kernel
 * can write.
 */
async function written(key: readonly Name[], rows: number) {
  const table = tableOf(
    names.map((name) => [name, COLUMNS[name].type]),
    key,
    { indexGranularity: 2048 },
  );
  const columns = names.map((name) => pick(name, `${quoteText(name)} || i`));
  const sql = `SELECT ${columns.join(', ')} FROM range(${rows}) r(i)`;
  const [tablet] = await tablets.write(table, sql, { maxBytes: 1e9 });
  return { table, tablet: tablet!, header: await headerOf(tablet!) };
}

const headerOf = ({ path, tablet }: WrittenTablet): Promise<HybridHeader> =>
  readHeader(readFileSync(path).subarray(tablet.headerOffset), tablet);

/** Puts the rows of a tablet into a temp table, each with the number of its granule. */
async function readRows(path: string, header: HybridHeader): Promise<void> {
  expect(header.granuleRows.slice(0, -1).every((rows) => rows === 2048)).toBe(true);
  await tablets.session.execute(
    `CREATE OR REPLACE TEMP TABLE read_rows AS SELECT file_row_number // 2048 AS g, *
     FROM read_parquet(${quoteText(path)}, file_row_number = true)`,
  );
}

/** The granules that contain a row for the predicates, found in all rows. */
async function holding(where: string): Promise<number[]> {
  const found = await tablets.rows(`SELECT DISTINCT g FROM read_rows WHERE ${where} ORDER BY g`);
  return found.map(([granule]) => Number(granule));
}

describe.each([[['t', 'i']], [['i', 'z', 't']], [['d', 'f']], [['m']]] as const)('sorted by %s', (key) => {
  it('keeps every granule that holds a row', async () => {
    const { table, tablet, header } = await written(key, 40_000);
    await readRows(tablet.path, header);
    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(conjunct, { minLength: 1, maxLength: 3 }), async (filter) => {
        const where = filter.map(sqlOf).join(' AND ');
        const kept = pruneGranules(table, header, [filter]);
        const needed = await holding(where);
        expect(needed.filter((granule) => !kept.includes(granule))).toEqual([]);
        if (needed.length > 0) expect(pruneTablets(table, [tablet.tablet], [filter])).toHaveLength(1);
        pruned += header.granuleRows.length - kept.length;
      }),
      { numRuns: 120 },
    );
    expect(pruned).toBeGreaterThan(100);
  });
});

describe('tablets', () => {
  const table = tableOf(
    names.map((name) => [name, COLUMNS[name].type]),
    ['t'],
  );

  it('with a row for the predicates stay', async () => {
    const all: { one: WrittenTablet; id: string }[] = [];
    for (let i = 0; i < 40; i++) {
      const columns = names.map((name) => pick(name, `'${name}' || ${i}`));
      const [one] = await tablets.write(table, `SELECT ${columns.join(', ')}`);
      all.push({ one: one!, id: one!.tablet.id });
    }
    const union = all
      .map(({ one, id }) => `SELECT '${id}' AS id, * FROM read_parquet(${quoteText(one.path)})`)
      .join(' UNION ALL ');
    await tablets.session.execute(`CREATE TEMP TABLE every_row AS ${union}`);
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(conjunct, { minLength: 1, maxLength: 3 }), async (filter) => {
        const needed = await tablets.rows(
          `SELECT id FROM every_row WHERE ${filter.map(sqlOf).join(' AND ')}`,
        );
        const kept = new Set<string>(
          pruneTablets(
            table,
            all.map(({ one }) => one.tablet),
            [filter],
          ).map(({ id }) => id),
        );
        expect(needed.filter(([id]) => !kept.has(id!))).toEqual([]);
        spared += all.length - kept.size;
      }),
      { numRuns: 150 },
    );
    expect(spared).toBeGreaterThan(1000);
  });

  it('stay when one of several appearances needs them, or one is not restricted', async () => {
    const { table: own, tablet } = await written(['i'], 3000);
    const never: Conjunct = { kind: 'compare', column: 'i', operator: '>', value: '1000' };
    const some: Conjunct = { kind: 'compare', column: 'i', operator: '=', value: '7' };
    expect(pruneTablets(own, [tablet.tablet], [[never]])).toEqual([]);
    expect(pruneTablets(own, [tablet.tablet], [[never], [some]])).toHaveLength(1);
    expect(pruneTablets(own, [tablet.tablet], [[never], []])).toHaveLength(1);
    expect(pruneTablets(own, [tablet.tablet], [])).toHaveLength(1);
    expect(pruneTablets(own, [tablet.tablet], [[{ ...never, column: 'unknown' }]])).toHaveLength(1);
    expect(pruneTablets(own, [tablet.tablet], [[{ ...never, value: 'not a number' }]])).toHaveLength(1);
  });

  it('written before a column was added hold its initial value only', async () => {
    const [tablet] = await tablets.write(tableOf([['i', 'INTEGER']]), 'SELECT 1 AS i');
    const added = (initialSql?: string): TableObject => {
      const { columns } = tableOf([
        ['i', 'INTEGER'],
        ['n', 'INTEGER'],
      ]);
      const extra = { ...columns[1]!, since: 2, ...(initialSql === undefined ? {} : { initialSql }) };
      return tableOf([['i', 'INTEGER']], [], { columns: [columns[0]!, extra], schemaVersion: 2 });
    };
    const filter: Conjunct[] = [{ kind: 'compare', column: 'n', operator: '=', value: '5' }];
    const isNull: Conjunct[] = [{ kind: 'null', column: 'n', isNull: true }];
    expect(pruneTablets(added(), [tablet!.tablet], [filter])).toEqual([]);
    expect(pruneTablets(added(), [tablet!.tablet], [isNull])).toHaveLength(1);
    expect(pruneTablets(added('5'), [tablet!.tablet], [filter])).toHaveLength(1);
  });
});

describe('the primary index', () => {
  it('finds one key in at most two granules, though min and max of each column cover all', async () => {
    const table = tableOf(
      [
        ['a', 'INTEGER'],
        ['b', 'INTEGER'],
      ],
      ['a', 'b'],
    );
    const [one] = await tablets.write(table, 'SELECT i % 2 AS a, i // 2 AS b FROM range(40960) r(i)', {
      maxBytes: 1e9,
    });
    const header = await headerOf(one!);
    await readRows(one!.path, header);
    const equal = (column: string, value: number): Conjunct => ({
      ...{ kind: 'compare', column, operator: '=', value: String(value) },
    });
    for (const [a, b] of [
      [0, 0],
      [1, 20_479],
      [0, 10_000],
      [1, 2048],
    ] as const) {
      const kept = pruneGranules(table, header, [[equal('a', a), equal('b', b)]]);
      expect(kept.length).toBeLessThanOrEqual(2);
      const needed = await holding(`a = ${a} AND b = ${b}`);
      expect(kept).toEqual(expect.arrayContaining(needed));
    }
    const either = { kind: 'or' as const, branches: [[equal('b', 0)], [equal('b', 20_479)]] };
    expect(pruneGranules(table, header, [[equal('a', 1), either]]).length).toBeLessThanOrEqual(4);
    expect(pruneGranules(table, header, [[equal('a', 2)]])).toEqual([]);
  });
});
