import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { query, rows } from './http.ts';
import { MAIN } from './programs.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';
import { PROMPT, TesseraTerminal } from './terminal.ts';

const ENDLESS = 'SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b;';

let directory: string;
let server: SharedNode | undefined;
let env: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-shell-test-'));
  env = {
    XDG_STATE_HOME: join(directory, 'state'),
    PAGER: "sed 's/^/paged /'",
    VISUAL: 'sed -i s/three/four/',
    TMPDIR: directory,
  };
  await writeFile(join(directory, 'trips.csv'), 'id;place\n1;Böblingen\n2;日本\n');
  await writeFile(join(directory, 'script.sql'), 'SELECT 1 AS one;\n\\x\nSELECT nix;\nSELECT 2 AS two\n');
  server = await takeSharedNode();
  await query(server, 'CREATE TABLE stations (station_id INT, name TEXT)');
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** A shell against the running engine. */
const open = (...args: string[]) =>
  new TesseraTerminal(['sql', '-u', server!.url, ...args], { env, cwd: directory });

describe('on a terminal', () => {
  let shell: TesseraTerminal;
  beforeEach(async () => {
    shell = open('trips.csv');
    await shell.until(PROMPT);
  });
  afterEach(async () => {
    shell.close();
    await shell.ended;
  });

  it('shows results as boxes with the widths of their characters', async () => {
    const output = await shell.run("SELECT 1 AS a, '日本' AS place, NULL AS c, 12345678901::bigint AS big;");
    // A slow statement shows its progress first, on the line that the result then overwrites.
    expect(output.slice(output.indexOf('┌')).split('\n').slice(0, 6)).toEqual([
      '┌─────────┬───────┬─────────┬─────────────┐',
      '│       a │ place │       c │         big │',
      '│ integer │ text  │ integer │      bigint │',
      '├─────────┼───────┼─────────┼─────────────┤',
      '│       1 │ 日本  │    NULL │ 12345678901 │',
      '└─────────┴───────┴─────────┴─────────────┘',
    ]);
    expect(output).toMatch(/\(1 row, \d+\.\d{3} s\)/);
    const wide = await shell.run("SELECT repeat('x', 300) AS long, 1 AS n;");
    for (const line of wide.slice(wide.indexOf('┌')).trim().split('\n'))
      expect([...line].length).toBeLessThanOrEqual(80);
    expect(wide).toContain('x…');
  });

  it('says when a result comes from the result cache', async () => {
    await shell.run('CREATE TABLE many AS SELECT n FROM generate_series(1, 50000) AS g(n);');
    expect(await shell.run('SELECT sum(n) FROM many;')).toMatch(/\(1 row, \d+\.\d{3} s\)/);
    const again = await shell.run('SELECT sum(n) FROM many;');
    expect(again).toMatch(/\(1 row, \d+\.\d{3} s, from the result cache\)/);
  });

  it('a statement ends at a semicolon outside strings and comments', async () => {
    shell.type("SELECT 'a;b' AS x, -- no; end\r");
    await shell.until(/-> /);
    shell.type('$$c;\r');
    await shell.until(/-> /);
    const output = await shell.run('d$$ AS y;');
    expect(output).toContain('│ a;b  │ c;↵d │');
    expect(await shell.run('SELECT 7 AS seven; SELECT 8 AS eight;')).toMatch(/seven[\s\S]*eight/);
  });

  it('an error shows its position, and the session continues', async () => {
    expect(await shell.run('SELECT nix FROM stations;')).toContain(
      'error: Line 1, Column 8: Column "nix" does not exist\n  SELECT nix FROM stations\n         ^^^',
    );
    await shell.run("SET timezone = 'Asia/Tokyo';");
    expect(await shell.run('SHOW timezone;')).toContain('Asia/Tokyo');
    shell.type('BEGIN;\r');
    await shell.until(/tessera\*> /);
    shell.type('ROLLBACK;\r');
    await shell.until(/tessera> /);
  });

  it('the Tab key completes keywords, tables, columns and functions', async () => {
    shell.type('SELECT * FROM stati\t');
    await shell.until(/FROM stations/);
    shell.type(' WHERE stations.station_\t');
    await shell.until(/stations\.station_id/);
    shell.type(' = 1 ORD\t');
    await shell.until(/ORDER/);
    shell.type(' BY upper(name), date_tr\t');
    await shell.until(/date_trunc\(/);
  });

  it('a statement runs alone: the queries for the names to complete are cancelled', async () => {
    const others = `SELECT count(*) AS others FROM information_schema.engine_running_queries
      WHERE query_text NOT LIKE '%engine_running_queries%'`.replace(/\s+/g, ' ');
    // The engine may not have ended them yet when the statement begins.
    await expect.poll(() => shell.run(`${others};`)).toMatch(/│ +0 │/);
    shell.type('SELECT * FROM stati\t');
    await shell.until(/FROM stations/);
  });

  it('Ctrl-C cancels the statement on the server, and then clears the line', async () => {
    shell.type(`${ENDLESS}\r`);
    await shell.until(/running|%/);
    shell.type('\u0003');
    await shell.until(/cancelled/);
    await shell.until(PROMPT);
    await expect
      .poll(() =>
        rows(
          server!,
          "SELECT count(*) FROM information_schema.engine_running_queries WHERE query_text LIKE '%1000000%' AND query_text NOT LIKE '%running%'",
        ),
      )
      .toEqual([['0']]);
    shell.type('SELECT 1 +');
    await shell.until(/SELECT 1 \+/);
    shell.type('\u0003');
    await shell.until(PROMPT);
    expect(await shell.run('SELECT 5 AS five;')).toContain('five');
  });

  it('local files are uploaded, and a notice says how they are read', async () => {
    const output = await shell.run('SELECT trips.place FROM trips ORDER BY id DESC;');
    expect(output).toContain("notice: trips.csv is read as CSV with delimiter ';'");
    expect(output).toMatch(/│ 日本 +│\n│ Böblingen │/);
    expect(await shell.run("DESCRIBE './trips.csv';")).toContain('│ place       │ text ');
    expect(await shell.run("EXPLAIN ANALYZE SELECT count(*) FROM './trips.csv';")).toContain(
      'file: ./trips.csv',
    );
    expect(await shell.run("FROM './trip.csv';")).toContain('error: ./trip.csv: there is no such file');
    const failed = await shell.run("SELECT id FROM './trips.csv' WHERE nix;");
    expect(failed).toContain('Line 1, Column 36: Column "nix" does not exist');
    expect(failed).toMatch(/\n {2}SELECT id FROM '\.\/trips\.csv' WHERE nix\n {37}\^{3}\n/);
    expect(await shell.run("SELECT place::int FROM './trips.csv';")).toMatch(/error: \.\/trips\.csv, line 2/);
    expect(await shell.run("SELECT extract(year FROM '2024-01-02'::date) AS y;")).toContain('2024');
  });

  it('backslash commands work', async () => {
    expect(await shell.run('\\dt')).toContain('stations');
    expect(await shell.run('\\d stations')).toContain('station_id');
    expect(await shell.run('\\df date_trunc')).toContain('date_trunc');
    expect(await shell.run('\\l')).toContain('tessera');
    for (const help of ['.help', '\\help']) expect(await shell.run(help)).toContain('\\copy');
    expect(await shell.run('\\nix')).toContain('there is no command \\nix');
    await shell.run('\\timing off');
    await shell.run('\\x');
    expect(await shell.run('SELECT 1 AS a, 2 AS bc;')).toContain(' a: 1\nbc: 2\n(1 row)');
    // A format that is chosen later takes the place of \x.
    expect(await shell.run('\\format jsonl')).toContain('The format is jsonl.');
    expect(await shell.run('SELECT 1 AS a;')).toContain('{"a":1}');
    await shell.run('\\format box');
    expect(await shell.run("\\copy (SELECT * FROM trips ORDER BY id) TO 'out.csv'")).toContain(
      '(2 rows written)',
    );
    expect(await readFile(join(directory, 'out.csv'), 'utf8')).toBe('id,place\n1,Böblingen\n2,日本\n');
    await shell.run("\\copy stations FROM 'out.csv'");
    expect(await shell.run('SELECT name FROM stations ORDER BY 1;')).toContain('Böblingen');
    expect(await shell.run('\\o missing/out.txt')).toContain('error: missing/out.txt: there is no such file');
    await shell.run('\\o out.txt');
    await shell.run('SELECT 3 AS three;');
    await shell.run('\\o');
    expect(await readFile(join(directory, 'out.txt'), 'utf8')).toContain('three');
    expect(await shell.run('\\e')).toContain('│    four │');
    expect(await shell.run('\\i script.sql')).toMatch(/│ +one │[\s\S]*Column "nix" does not exist/);
    await shell.run('SELECT 3 AS three;');
    shell.type('\\watch 0.05\r');
    await shell.until(/every 0\.05 s until Ctrl-C[\s\S]*three[\s\S]*three/);
    shell.type('\u0003');
    await shell.until(PROMPT);
  });

  it('a result that is longer than the screen goes through the pager, truncated as configured', async () => {
    expect(await shell.run('SELECT * FROM generate_series(1, 40) AS g(n);')).toMatch(/paged │ +40 │/);
    await shell.run('\\rows 3');
    const output = await shell.run('SELECT * FROM generate_series(1, 1000000) AS g(n);');
    expect(output).toContain('(first 3 rows; \\rows N shows more');
    expect(output).not.toContain('paged');
  });

  it('keeps its history for the next session, readable by its user only', async () => {
    await shell.run("SELECT 'unforgettable' AS u;");
    await shell.run("CREATE USER x PASSWORD 'hidden';");
    shell.type('\u0004');
    expect(await shell.ended).toBe(0);
    const path = join(directory, 'state/tessera/history');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('hidden');
    shell = open();
    await shell.until(PROMPT);
    shell.type('\u001b[A');
    await shell.until(/SELECT 'unforgettable' AS u;/);
    shell.type('\r\u0004');
    await shell.until(/\(1 row/);
    expect(await shell.ended).toBe(0);
  });
});

function tessera(
  args: readonly string[],
  stdin = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...process.env, ...env }, cwd: directory },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin!.end(stdin);
  });
}

it('docs/guides/shell.md: its session, and its list of commands', async () => {
  const root = join(import.meta.dirname, '../../..');
  const page = await readFile(join(root, 'docs/guides/shell.md'), 'utf8');
  const [, command = '', session = ''] = /```console\n\$ npx -y pnpm@12 tessera (.+)\n([\s\S]*?)```/.exec(
    page,
  )!;
  const shell = new TesseraTerminal([...command.split(' '), '-u', server!.url], { env, cwd: root });
  onTestFinished(() => shell.close());
  await shell.until(PROMPT);
  // The progress line, which is overwritten, and the times differ.
  const timeless = (text: string) =>
    text
      .replaceAll(/, \d+\.\d{3} s\)/g, ')')
      .replaceAll(/^(?:running|[ \d]+ %).* s(?=notice|┌)/gm, '')
      .trim();
  for (const step of session.split('tessera> ').slice(1)) {
    const [statement = '', ...shown] = step.split('\n');
    expect(timeless(await shell.run(statement))).toBe(timeless(shown.join('\n')));
  }
  const help = await shell.run('\\?');
  for (const [, name = ''] of page.matchAll(/^\| `(\\\S+?)[ `]/gm)) expect(help).toContain(`  ${name} `);
});

describe('scripts', () => {
  const sql = (args: readonly string[], stdin?: string) =>
    tessera(['sql', '-u', server!.url, ...args], stdin);

  it.each([
    ['csv', 'a,b\n1,"x,y"\n2,\n'],
    ['json', '[{"a":1,"b":"x,y"},\n{"a":2,"b":null}]\n'],
    ['jsonl', '{"a":1,"b":"x,y"}\n{"a":2,"b":null}\n'],
    ['markdown', '| a | b |\n| --- | --- |\n| 1 | x,y |\n| 2 | NULL |\n(2 rows)\n'],
  ])('--format %s', async (format, stdout) => {
    const query = "SELECT * FROM (VALUES (1, 'x,y'), (2, NULL)) AS v(a, b) ORDER BY a";
    expect(await sql(['--format', format, '-c', query])).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('ends without an error when the reader of its output has closed it', async () => {
    const args = [
      MAIN,
      'sql',
      '-u',
      server!.url,
      '--format',
      'csv',
      '-c',
      'SELECT * FROM generate_series(1, 10000000)',
    ];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect({ code, stderr: errors.join('') }).toEqual({ code: 0, stderr: '' });
  });

  it('stop at an error, or continue on request', async () => {
    const script = await readFile(join(directory, 'script.sql'), 'utf8');
    const stopped = await sql([], script);
    expect(stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('one') });
    expect(stopped.stderr).toContain('error: Line 3, Column 8: Column "nix" does not exist');
    const inline = await sql([], "\n-- two lines\nSELECT 1; SELECT 'é',\n  2; SELECT nix");
    expect(inline.stderr).toContain('error: Line 4, Column 13: Column "nix" does not exist');
    expect(stopped.stdout).not.toContain('two');
    const continued = await sql(['--on-error', 'continue'], script);
    expect(continued).toMatchObject({ code: 1, stdout: expect.stringContaining('two: 2') });
    expect(continued.stderr).toContain('1 statement failed');
  });
});

describe('an engine of its own', () => {
  it('answers a query of a file and leaves nothing behind', async () => {
    const before = await readdir(directory);
    const { code, stdout } = await tessera([
      'sql',
      'trips.csv',
      '--format',
      'csv',
      '-c',
      'SELECT count(*) AS n FROM trips',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'n\n2\n' });
    expect(await readdir(directory)).toEqual(before);
  });

  it('the prompt is there while the engine starts: a statement waits for it, Ctrl-C and Ctrl-D do not', async () => {
    const before = await readdir(directory);
    const shell = new TesseraTerminal(['sql', 'trips.csv'], { env, cwd: directory });
    onTestFinished(() => shell.close());
    // It is typed ahead of the prompt: on a busy machine, the engine might be there before a test has seen the prompt.
    shell.type('SELECT count(*) AS n FROM trips;\r');
    expect(await shell.until(/the engine is starting/)).toMatch(PROMPT);
    await shell.until(/│ +2 │[\s\S]*tessera> /);
    // The columns of its files are completed, and they are in the list of tables.
    shell.type('SELECT pla\t');
    await shell.until(/SELECT place/);
    shell.type('\u0003\\d\r');
    await shell.until(/trips is \S+trips\.csv/);
    shell.type('\\q\r');
    expect(await shell.ended).toBe(0);
    const hasty = new TesseraTerminal(['sql'], { env, cwd: directory });
    onTestFinished(() => hasty.close());
    hasty.type('SELECT 1;\r');
    expect(await hasty.until(/the engine is starting/)).toMatch(PROMPT);
    hasty.type('\u0003');
    await hasty.until(/cancelled[\s\S]*tessera> /);
    hasty.type('\u0004');
    expect(await hasty.ended).toBe(0);
    expect(await readdir(directory)).toEqual(before);
  });

  it('if the engine does not start, the shell ends with the reason', async () => {
    const taken = join(directory, 'trips.csv');
    const shell = new TesseraTerminal(['sql', '--data-dir', taken], { env, cwd: directory });
    onTestFinished(() => shell.close());
    await shell.until(/error: the engine did not start[\s\S]*trips\.csv cannot be used/);
    expect(await shell.ended).toBe(1);
  });
});

describe('tessera serve', () => {
  it('on a terminal logs text, and a node that stands alone opens no ports for others', async () => {
    const ports = ['http', 'health', 'metrics'].flatMap((port) => [`--${port}-port`, '0']);
    const node = new TesseraTerminal(['serve', '--data-dir', join(directory, 'alone'), ...ports], { env });
    onTestFinished(() => node.close());
    // The log and the message for users are written independently, so either may appear first.
    const output = await node.until(
      /Tessera is ready.*?listening \{[^\n]*\}\n|listening \{[^\n]*\}\n.*?Tessera is ready/s,
    );
    expect(output).toMatch(/INFO: engine: listening \{.*"query http:/);
    expect(output).not.toContain('grpc://');
    expect(output).not.toContain('RLIMIT_MEMLOCK');
    node.type('\u0003');
    expect(await node.ended).toBe(0);
  });

  it('names the flag for a port that is in use', async () => {
    const { port } = new URL(server!.url);
    const args = ['serve', '--data-dir', join(directory, 'second'), '--http-port', port];
    expect(await tessera(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `127.0.0.1:${port} for query: it is in use; choose another with --http-port`,
      ),
    });
  });
});
