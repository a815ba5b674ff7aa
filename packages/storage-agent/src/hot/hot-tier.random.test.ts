import type { Tablet, TabletId } from '@tessera/catalog';
import { assignTablets, type RowRange } from '@tessera/tablet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScanTablet, StorageAgent } from '../storage-agent.ts';
import { Fixture, rowsOf } from '../testing/fixture.ts';
import { storeTablet, testTable, withoutRows } from '../testing/tables.ts';

const SEED = Number(process.env.TESSERA_TEST_SEED ?? Date.now() % 1e9);
const STEPS = 40;
const READERS = 3;
const READS_AFTER_STEP = 6;
/** `indexGranularity` of the test table. */
const GRANULE_ROWS = 2_048;

let fixture: Fixture;
let agent: StorageAgent;
beforeAll(async () => {
  fixture = await Fixture.open();
  agent = await fixture.agent();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** The random generator Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

interface Version {
  readonly number: number;
  /** The tablets, each with its deleted positions. */
  readonly tablets: ReadonlyMap<TabletId, { readonly tablet: Tablet; readonly deleted: ReadonlySet<number> }>;
}

const scanTablets = (version: Version): ScanTablet[] =>
  [...version.tablets.values()].map(({ tablet, deleted }) =>
    deleted.size === 0 ? { tablet } : withoutRows(tablet, deleted),
  );

/** The share of node `a` among `nodes` nodes, as a scan requests it. */
function shareOf(version: Version, nodes: number) {
  const names = ['a', 'b', 'c'].slice(0, nodes).map((name) => ({ name }));
  const all = [...version.tablets.values()].map(({ tablet }) => tablet);
  const [share] = assignTablets(all, scanTablets(version), names, 2048).filter(
    ({ node }) => node.name === 'a',
  );
  return { tablets: share?.tablets ?? [], share: `${nodes}` };
}

test.each([
  ['the table', 0],
  ['parts of the table that nodes keep', 1],
  ['the table and parts of it', 0.5],
])(
  `readers of all versions of %s see their own rows while the resident table is updated (seed ${SEED})`,
  async (_, parts) => {
    const random = randomOf(SEED);
    const table = testTable('t', { a: 'BIGINT', b: 'VARCHAR' });
    const firstValue = new Map<TabletId, number>();
    let values = 0;
    const newTablet = async (rows: number) => {
      const from = values;
      values += rows;
      const tablet = await storeTablet(
        fixture,
        table,
        `SELECT i AS a, 'x' || i AS b FROM range(${from}, ${values}) t(i)`,
      );
      firstValue.set(tablet.id, from);
      return tablet;
    };
    const next = async (version: Version): Promise<Version> => {
      const tablets = new Map(version.tablets);
      const any = [...tablets.values()][random(Math.max(1, tablets.size))];
      const choice = random(10);
      if (any === undefined || choice < 4) {
        const tablet = await newTablet(choice === 0 ? 3000 + random(3000) : 1 + random(20));
        tablets.set(tablet.id, { tablet, deleted: new Set() });
      } else if (choice < 8) {
        const deleted = new Set(any.deleted);
        const count = 1 + random(Math.min(any.tablet.rows, 300));
        for (let i = 0; i < count; i++) deleted.add(random(any.tablet.rows));
        tablets.set(any.tablet.id, { tablet: any.tablet, deleted });
      } else {
        tablets.delete(any.tablet.id);
      }
      return { number: version.number + 1, tablets };
    };
    const expected = (version: Version, scans: readonly ScanTablet[]) => {
      let [n, s] = [0, 0];
      for (const { tablet, rows = [{ start: 0, end: tablet.rows }] } of scans) {
        const from = firstValue.get(tablet.id)!;
        const { deleted } = version.tablets.get(tablet.id)!;
        for (const { start, end } of rows) {
          for (let row = start; row < end; row++) {
            if (deleted.has(row)) continue;
            n++;
            s += from + row;
          }
        }
      }
      return { n, s };
    };
    /** One granule of each of the tablets that have several; undefined if there are none. */
    const fewGranules = (version: Version): ScanTablet[] | undefined => {
      const scans = scanTablets(version).filter(({ tablet }) => tablet.granules > 1);
      const chosen = scans.map((scan) => ({ ...scan, granules: [random(scan.tablet.granules)] }));
      return chosen.length === 0 ? undefined : chosen;
    };
    const asRows = ({ granules, ...scan }: ScanTablet): ScanTablet => {
      const [granule] = granules!;
      const isLast = granule === scan.tablet.granules - 1;
      const end = isLast ? scan.tablet.rows : (granule! + 1) * GRANULE_ROWS;
      return { ...scan, rows: [{ start: granule! * GRANULE_ROWS, end }] };
    };
    const isInGranules = (scan: ScanTablet): string => {
      const [{ start, end }] = asRows(scan).rows as [RowRange];
      const from = firstValue.get(scan.tablet.id)!;
      return `a BETWEEN ${from + start} AND ${from + end - 1}`;
    };
    const sessions = await Promise.all(Array.from({ length: READERS }, () => fixture.kernel.session()));
    let hotScans = 0;
    let nodes = 2;
    const read = async (session: (typeof sessions)[number], version: Version, pause: number) => {
      // The number of nodes changes now and then.
      if (random(20) === 0) nodes = 5 - nodes;
      const isPart = random(100) < parts * 100;
      const few = isPart || random(2) === 0 ? undefined : fewGranules(version);
      const asked = isPart
        ? shareOf(version, nodes)
        : { tablets: few ?? scanTablets(version), share: undefined };
      const scan = await agent.prepareScan({
        session,
        table,
        ...asked,
        ...(few === undefined
          ? { wholeTableAt: version.number }
          : { contents: { version: version.number, tablets: () => scanTablets(version) } }),
        columns: [1, 2],
        rowPositions: false,
        signal: new AbortController().signal,
      });
      hotScans += scan.use.tabletsHot > 0 ? 1 : 0;
      try {
        // The resident table may change between the planning of a scan and its execution.
        for (let i = 0; i < pause; i++) await session.scalar('SELECT 1');
        // Rows of other granules may be returned too.
        const where = few === undefined ? '' : ` WHERE ${few.map(isInGranules).join(' OR ')}`;
        const sql = `SELECT count(*) AS n, coalesce(sum(a), 0) AS s, count(b) AS b FROM ${scan.sql}${where}`;
        const { n, s } = expected(version, few?.map(asRows) ?? asked.tablets);
        expect(await rowsOf(session, sql), `version ${version.number}: ${scan.sql}`).toEqual([
          { n, s, b: n },
        ]);
      } finally {
        scan.release();
      }
    };
    const versions: Version[] = [{ number: 1, tablets: new Map() }];
    for (let step = 0; step < STEPS; step++) {
      versions.push(await next(versions.at(-1)!));
      const readers = sessions.map(async (session) => {
        for (let i = 0; i < READS_AFTER_STEP / READERS; i++) {
          const back = random(3) === 0 ? random(Math.min(versions.length, 6)) : 0;
          await read(session, versions.at(-1 - back)!, random(4));
        }
      });
      await Promise.all(readers);
      if (random(4) === 0) await agent.settled();
    }
    await read(sessions[0]!, versions.at(-1)!, 0);
    await agent.settled();
    if (parts === 0) expect(agent.isHot(sessions[0]!, table.id, versions.at(-1)!.number, [1])).toBe(true);
    expect(hotScans).toBeGreaterThan((STEPS * READS_AFTER_STEP) / 10);
  },
);
