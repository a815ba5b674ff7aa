import { afterAll, beforeAll, expect, describe as group, it } from 'vitest';
import { query as queryOverHttp, rows as rowsOverHttp } from './http.ts';
import { query, RawClient } from './postgres-client.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let node: TesseraProcess;
beforeAll(async () => {
  node = await startTessera({ args: ['--postgres-port', '0'] });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const open = (parameters?: Readonly<Record<string, string>>) => RawClient.open(node.postgres, parameters);

/** The answer to a simple query, without its RowDescription and ReadyForQuery messages. */
async function answer(client: RawClient, sql: string): Promise<readonly string[]> {
  return (await client.ask(query(sql))).filter((line) => line !== 'T' && !line.startsWith('Z '));
}

group('what clients ask when they connect', () => {
  it('version() is that of PostgreSQL on this endpoint alone', async () => {
    using client = await open();
    expect(await answer(client, 'SELECT version(), pg_catalog.version()')).toEqual([
      expect.stringMatching(/^D PostgreSQL 15\.\d+ \(Tessera \S+\)\|PostgreSQL 15\.\d+ \(Tessera \S+\)$/),
      'C SELECT 1',
    ]);
    expect(await rowsOverHttp(node, 'SELECT version()')).toEqual([[expect.stringMatching(/^Tessera /)]]);
  });

  it.each([
    ["INTERVAL '+00:00' HOUR TO MINUTE", 'D UTC'],
    ["INTERVAL '+02:00' HOUR TO MINUTE", 'D Etc/GMT-2'],
    ["INTERVAL '-11:00'", 'D Etc/GMT+11'],
    ['-8', 'D Etc/GMT+8'],
    ["'Europe/Berlin'", 'D Europe/Berlin'],
  ])('SET TIME ZONE %s', async (zone, shown) => {
    using client = await open();
    await answer(client, `SET TIME ZONE ${zone}`);
    expect(await answer(client, 'SHOW TIME ZONE')).toEqual([shown, 'C SHOW']);
  });

  it('a time zone of half an hour is refused', async () => {
    using client = await open();
    expect(await answer(client, "SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE")).toEqual([
      expect.stringMatching(/^E ERROR 22023 .*Asia\/Kolkata/),
    ]);
  });

  it('the databases that every server has stand for the default one', async () => {
    for (const database of ['postgres', 'template1']) {
      using client = await open({ database });
      expect(await answer(client, 'SELECT current_database()')).toEqual(['D tessera', 'C SELECT 1']);
    }
  });

  it('RESET names a parameter, over HTTP too', async () => {
    using client = await open();
    expect(await answer(client, 'RESET foo')).toEqual([expect.stringMatching(/^E ERROR 42704 /)]);
    const refused = await queryOverHttp(node, 'RESET foo');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('foo')]);
    const reset = await queryOverHttp(node, 'RESET timezone');
    expect(reset.headers.get('firebolt-remove-parameters')).toBe('timezone');
  });
});

group('DESCRIBE of a query', () => {
  it('tells its columns without running it', async () => {
    using client = await open();
    await answer(client, 'CREATE TABLE described (a INT NOT NULL, b NUMERIC(10, 2))');
    expect(await answer(client, 'DESCRIBE SELECT a, b, 1 / 0 AS c FROM described')).toEqual([
      'D a|integer|NO|NULL',
      'D b|numeric(10, 2)|YES|NULL',
      'D c|integer|YES|NULL',
      'C SHOW',
    ]);
    expect(await answer(client, 'DESCRIBE SELECT nosuch FROM described')).toEqual([
      expect.stringMatching(/^E ERROR 42703 /),
    ]);
  });
});

group('object identifiers', () => {
  it('are of type oid, as the columns of the catalog and as casts', async () => {
    using client = await open();
    const types = async (sql: string) => {
      client.send(query(sql));
      const description = (await client.until('Z')).find(({ type }) => type === 'T')!.body;
      return typeOids(description);
    };
    const OID = 26;
    const OIDS = 1028;
    expect(await types('SELECT oid, relnamespace, relname FROM pg_class LIMIT 1')).toEqual([OID, OID, 25]);
    expect(await types('SELECT array_agg(oid) FROM pg_type')).toEqual([OIDS]);
    expect(await types("SELECT 26::oid, CAST(26 AS OID), '{1,2}'::oid[], 1::bigint")).toEqual([
      ...[OID, OID, OIDS, 20],
    ]);
    expect(await types("SELECT 'pg_class'::regclass::oid")).toEqual([OID]);
  });
});

/** The OIDs of the types that a RowDescription message tells. */
function typeOids(body: Buffer): number[] {
  const oids: number[] = [];
  let at = 2;
  for (let i = 0; i < body.readInt16BE(0); i += 1) {
    at = body.indexOf(0, at) + 1;
    oids.push(body.readInt32BE(at + 6));
    at += 18;
  }
  return oids;
}
