import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareReports } from './compare-reports.ts';
import { type Figure, figure, type Unit } from './figure.ts';
import { htmlPage } from './html/html-page.ts';
import { mergeReports } from './merge-reports.ts';
import { performancePage } from './performance-page.ts';
import { readReport } from './read-report.ts';
import { type BenchmarkResult, isGood, REPORT_VERSION, type Report } from './report.ts';

const NASTY = `<script>alert('x')</script> & "quoted"`;

const upload: BenchmarkResult = {
  benchmark: 'upload',
  title: 'Upload of `CSV`',
  method: 'How *it* was measured.',
  lines: [
    {
      what: 'CSV',
      figures: { time: figure('s', [1, 2, 3]), ratio: figure('×', [1.5], { at: 'most', value: 1.3 }) },
    },
  ],
  charts: [
    {
      title: 'Time by query',
      x: { label: 'query', scale: 'category' },
      y: { label: 'ms', scale: 'log' },
      reference: 1,
      series: [
        {
          name: NASTY,
          points: [
            { x: NASTY, y: 0.5, spread: [0.1, 90] },
            { x: 'q02', y: 0 },
          ],
        },
      ],
    },
    {
      title: 'Latency',
      x: { label: 'requests/s', scale: 'linear' },
      y: { label: 'ms', scale: 'linear' },
      series: [
        {
          name: 'p99',
          points: [
            { x: 100, y: 3 },
            { x: 200, y: 9 },
          ],
        },
      ],
    },
  ],
};
const memory: BenchmarkResult = {
  benchmark: 'memory',
  title: 'Memory',
  method: 'Watched.',
  lines: [{ what: NASTY, figures: { idle: figure('MB', [300]) } }],
  problems: [NASTY],
  notes: ['ClickHouse did not answer q16'],
};
const report: Report = {
  version: REPORT_VERSION,
  startedAt: '2026-11-21T10:00:00.000Z',
  durationSeconds: 65,
  command: ['all', NASTY],
  commit: 'abc',
  scale: 0.5,
  machine: { cpu: 'A CPU', cores: 2, memoryBytes: 2 ** 34, system: 'Linux 6' },
  versions: { 'Node.js': 'v24' },
  results: [upload, memory],
  failures: [{ benchmark: 'point', reason: NASTY }],
};

test('the HTML page needs no other file, and escapes the texts of the report', () => {
  const page = htmlPage(report);
  expect(page.match(/<script>/g)).toHaveLength(1);
  expect(page).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;quoted&quot;');
  expect(page).not.toMatch(/(?:src|href)="(?!#)|@import|url\(/);
  expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every chart says what it shows, and has a table below it', () => {
  const page = htmlPage(report);
  const charts = [...page.matchAll(/<svg class="chart" role="img"[^>]*aria-labelledby="(\S+) (\S+)"/g)];
  expect(charts).toHaveLength(3);
  for (const [, title, description] of charts) {
    expect(page).toContain(`<title id="${title}">`);
    expect(page).toContain(`<desc id="${description}">`);
  }
  expect(page.match(/<table>/g)).toHaveLength(2);
  expect(page).toContain('1.5 × <span class="missed">≤ 1.3 ✗</span>');
  expect(page).toContain('2 s <small>(1 – 3)</small>');
});

test('every element of the HTML page is closed', () => {
  const open: string[] = [];
  const text = htmlPage(report).replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
  for (const [, end, name, rest] of text.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>/gi)) {
    if (['meta', 'br'].includes(name!) || rest!.endsWith('/')) continue;
    if (end === '') open.push(name!);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
});

test('the Markdown page has facts, problems, notes, failures', () => {
  const page = performancePage(report);
  for (const text of [
    '\n- machine: 2 × A CPU, 16 GiB, Linux 6\n',
    '\n- measured: 2026-11-21 10:00 UTC, in 1 min 5 s\n',
    '\nFailed:\n\n- point: ',
    '\n## Memory\n\nWatched.\n\nProblems:\n\n- ',
    '\nNotes:\n\n- ClickHouse did not answer q16\n',
  ])
    expect(page).toContain(text);
  expect(isGood(report)).toBe(false);
  expect(isGood({ ...report, results: [upload], failures: [] })).toBe(true);
});

test('the last run of each benchmark counts', () => {
  const again = { ...upload, title: 'Again' };
  const point = { ...upload, benchmark: 'point' };
  const merged = mergeReports([
    report,
    { ...report, durationSeconds: 5, results: [again, point], failures: [] },
  ]);
  expect(merged.results.map(({ title }) => title)).toEqual(['Again', 'Memory', 'Upload of `CSV`']);
  expect(merged).toMatchObject({ durationSeconds: 70, failures: [] });
  const smaller = mergeReports([report, { ...report, scale: report.scale / 2 }]);
  expect(performancePage(smaller)).toContain('- scale: as each command says');
  const elsewhere = { ...report, machine: { ...report.machine, cores: 64 } };
  expect(() => mergeReports([report, elsewhere])).toThrow('different machines');
});

test('a comparison names the figures that changed by more than the runs differ', () => {
  const of = (title: string, value: Figure): Report => ({
    ...report,
    results: [{ ...upload, lines: [{ what: 'CSV', figures: { [title]: value } }] }],
  });
  const compared = (was: readonly number[], is: readonly number[], unit: Unit = 's') =>
    compareReports(of('time', figure(unit, was)), of('time', figure(unit, is)));
  const slower = compared([1, 2, 3], [4, 5, 6]);
  expect(slower.worse).toBe(1);
  expect(slower.page).toContain('## Worse beyond the noise');
  expect(slower.page).toContain('| Upload of `CSV` | CSV | time | 2 (1 – 3) → 5 (4 – 6) s | × 2.5 |');
  expect(compared([4, 5, 6], [1, 2, 3])).toMatchObject({
    worse: 0,
    page: expect.stringMatching(/## Better/),
  });
  expect(compared([1, 2, 3], [4, 5, 6], 'rows/s')).toMatchObject({
    worse: 0,
    page: expect.stringMatching(/## Better/),
  });
  expect(compared([4, 5, 6], [1, 2, 3], 'rows/s')).toMatchObject({
    worse: 1,
    page: expect.stringMatching(/## Worse/),
  });
  expect(compared([1, 2, 3], [2, 3, 4])).toMatchObject({
    worse: 0,
    page: expect.stringMatching(/1 of 1 figures are alike/),
  });
  expect(compared([100, 101], [102, 103])).toMatchObject({
    worse: 0,
    page: expect.stringMatching(/1 of 1 figures are alike/),
  });
  expect(compared([1], [2])).toMatchObject({ worse: 0, page: expect.stringMatching(/## One run only/) });
  expect(compared([1], [1.1])).toMatchObject({
    worse: 0,
    page: expect.stringMatching(/1 of 1 figures are alike/),
  });
  expect(compared([Number.NaN], [1]).page).toContain('nothing in common');
  expect(compareReports(report, { ...report, scale: 1 }).page).toContain('The scales differ: 0.5 and 1.');
  expect(compareReports(report, { ...report, results: [] }).page).toContain('nothing in common');
});

test('the page opens with the answers to common questions, and links to their tables', () => {
  const lines = [
    {
      what: 'CSV',
      figures: { Tessera: figure('s', [0.5]), ratio: figure('×', [1.4], { at: 'most', value: 1.3 }) },
    },
  ];
  const page = performancePage({ ...report, results: [{ ...upload, lines }] });
  expect(page).toContain(
    '| How fast is an uploaded file aggregated? | CSV in 0.5 s, 1.4 × (target missed) of plain DuckDB and the copy; as Parquet in not measured | [Upload of `CSV`](#upload-of-csv) |',
  );
  expect(performancePage({ ...report, results: [] })).not.toContain('In short');
});

test('a figure that could not be measured is read from JSON again, and shown as such', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-report-'));
  try {
    const file = join(directory, 'report.json');
    const lines = [{ what: 'one more stage', figures: { cost: figure('ms', [Number.NaN]) } }];
    await writeFile(file, JSON.stringify({ ...report, results: [{ ...upload, lines }] }));
    const page = performancePage(await readReport(file));
    expect(page).toContain('| one more stage | not measured |');
  } finally {
    await rm(directory, { recursive: true });
  }
});
