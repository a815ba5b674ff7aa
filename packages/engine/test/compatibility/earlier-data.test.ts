import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { startTessera } from '../tessera-process.ts';

/**
 * Stores that earlier versions wrote, with the statements of README.md. A version that changes a format adds its own; the files
 * never change.
 */
const STORES = globSync('*.tar.gz', { cwd: import.meta.dirname });

it('stores of earlier versions are tested', () => {
  expect(STORES.toSorted()).toEqual(['0.1.0.tar.gz', '0.2.0.tar.gz']);
});

describe.each(STORES)('the data of version %s', (file) => {
  it('is read, changed and vacuumed', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), `tessera-${basename(file, '.tar.gz')}-`));
    execFileSync('tar', ['-xzf', join(import.meta.dirname, file), '-C', dataDirectory]);
    await using server = await startTessera({ dataDirectory });
    /** The rows as texts. */
    const shown = async (sql: string) => (await rows(server, sql)).map((row) => row.map(String).join(' '));
    const trips = "count(*), sum(id), sum(price), max(note), count_if(note = 'changed')";
    expect(await shown(`SELECT ${trips} FROM trips`)).toEqual(['91 5570 1142.50 nulls 13']);
    expect(await rows(server, 'SELECT tags, started::text FROM trips WHERE id = 26')).toEqual([
      [['a', null, 'n26'], '2026-01-02 02:00:00'],
    ]);
    const last = "SELECT station, trips FROM busy WHERE station > 'station 4' OR station IS NULL ORDER BY 1";
    expect(await shown(last)).toEqual(['station 5 13', 'station 6 12', 'null 1']);
    const stations = 'SELECT * FROM stations WHERE docks > 55 ORDER BY docks';
    expect(await shown(stations)).toEqual(['station 6 60 null', 'station 9 90 Ulm']);
    const big = 'SELECT count(*), sum(id), max(t) FROM big';
    expect(await shown(big)).toEqual(['7920 31687440 ffeed84c7cb1ae7bf4ec4bd78275bb98']);
    expect(await shown('SELECT count(*) FROM archive.empty')).toEqual(['0']);
    const grants =
      "SELECT object_name, privilege_type FROM information_schema.object_privileges WHERE grantee = 'reader'";
    expect(await shown(grants)).toEqual(['archive USAGE']);

    for (const statement of [
      "INSERT INTO trips (id, station) VALUES (2000, 'station 5')",
      "UPDATE trips SET note = 'again' WHERE note = 'changed'",
      'DELETE FROM big WHERE id <= 10',
      'VACUUM trips',
      'VACUUM big',
    ])
      expect((await query(server, statement)).status, statement).toBe(200);
    const notes = "SELECT count_if(note = 'again'), count_if(note = 'none'), count(*) FROM trips";
    expect(await shown(notes)).toEqual(['13 78 92']);
    expect(await shown(big)).toEqual(['7911 31687392 ffeed84c7cb1ae7bf4ec4bd78275bb98']);
  });
});
