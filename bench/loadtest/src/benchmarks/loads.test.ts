import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Report } from '../report/report.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const TIME_MS = 400_000;

describe.skipIf(process.env.TESSERA_LOADTEST !== 'all')(
  'loads (skipped without TESSERA_LOADTEST=all, because they take minutes)',
  () => {
    test.each([
      ['point-load', '0.02'],
      ['mixed', '0.05'],
      ['uploads', '0.05'],
      ['chaos', '0.1'],
      ['growth', '0.01'],
    ])(
      '%s reports lines and charts of numbers, and leaves nothing behind',
      { timeout: TIME_MS },
      async (name, scale) => {
        const directory = await mkdtemp(join(tmpdir(), 'loads-test-'));
        try {
          const json = join(directory, 'report.json');
          const args = [
            MAIN,
            name,
            '--scale',
            scale,
            '--runs',
            '1',
            '--nodes',
            '2',
            '--json',
            json,
            '--quiet',
          ];
          await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: directory } });
          const { results } = JSON.parse(await readFile(json, 'utf8')) as Report;
          const [{ lines, charts = [] }] = results as [Report['results'][number]];
          expect(lines.length).toBeGreaterThan(2);
          expect(
            charts.flatMap(({ series }) => series.flatMap(({ points }) => points)).length,
          ).toBeGreaterThan(2);
          for (const { what, figures } of lines)
            for (const [title, { median }] of Object.entries(figures))
              expect(Number.isFinite(median), `${name}, ${what}: ${title}`).toBe(true);
          expect(await readdir(directory)).toEqual(['report.json']);
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      },
    );
  },
);
