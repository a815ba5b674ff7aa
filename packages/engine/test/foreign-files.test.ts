import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  contents,
  differences,
  type ForeignFile,
  foreignFiles,
  manifestVerdict,
  readCall,
  type Verdict,
} from './foreign-files.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const PART = 'data';
const ANSWER_TIMEOUT_MS = 30_000;
const PROBE_INTERVAL_MS = 50;
const DATA_ROWS_FROM = 2;

const files = foreignFiles();
const known = new Map(differences().map((difference) => [difference.path, difference]));

type Outcome =
  | { readonly kind: 'rows'; readonly text: string }
  | { readonly kind: 'refused'; readonly status: number; readonly description: string }
  | { readonly kind: 'cut off' };

describe.skipIf(files.length === 0)('foreign files (skipped where the test data is absent)', () => {
  let server: TesseraProcess;
  let prober: Prober;
  let directory: string;

  beforeAll(async () => {
    // A fixed memory limit bounds the unpacked size of a small file on every machine. Five files are read at
    // once.
    directory = await mkdtemp(join(tmpdir(), 'tessera-foreign-'));
    const config = join(directory, 'config.yaml');
    await writeFile(config, 'schema_version: "1.0"\nengine:\n  max_server_memory_usage: 1GiB\n');
    server = await startTessera({ args: ['--config', config] });
    prober = new Prober(server.url);
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  test.concurrent.for(files.map((file) => [`${file.expect}: ${file.path}`, file] as const))(
    '%s',
    { timeout: 4 * ANSWER_TIMEOUT_MS },
    async ([, file], { expect }) => {
      const difference = known.get(file.path);
      const verdict = difference?.verdict ?? manifestVerdict(file);
      const source = readCall(file, PART, difference);
      const all = await ask(server.url, file, `SELECT * FROM ${source}`);
      const count = await ask(server.url, file, `SELECT count(*) FROM ${source}`);

      for (const outcome of [all, count]) {
        if (outcome.kind !== 'refused') continue;
        const { status, description } = outcome;
        if (verdict?.read === false && verdict.status !== undefined)
          expect(status, description).toBe(verdict.status);
        else expect(status >= 400 && status < 500, `${status} ${description}`).toBe(true);
      }
      if (verdict?.read === true) {
        expect(all.kind, `SELECT * ${said(all)}`).toBe('rows');
        expect(count.kind, `SELECT count(*) ${said(count)}`).toBe('rows');
      }
      if (verdict?.read === false) {
        expect(all.kind, 'SELECT *').not.toBe('rows');
        expect(await refusal(server.url, file, source, all)).toContain(verdict.says ?? `upload://${PART}`);
        expect(await ping(server.url)).toBe('42');
      }
      if (all.kind === 'rows' && count.kind === 'rows') {
        const rows = dataRows(all.text);
        expect(Number(count.text.split('\n')[DATA_ROWS_FROM]), 'count(*) and SELECT * agree').toBe(rows);
        if (verdict?.read === true && verdict.rows !== undefined) expect(rows).toBe(verdict.rows);
      }
      if (difference?.arguments !== undefined) {
        const usual = await ask(server.url, file, `SELECT * FROM ${readCall(file, PART, undefined)}`);
        expect(meets(usual, manifestVerdict(file)), 'the usual arguments would do').toBe(false);
      }
    },
  );

  test('every listed difference still exists', ({ expect }) => {
    for (const difference of known.values()) {
      const file = files.find((f) => f.path === difference.path);
      expect(file, `${difference.path} is in the manifest`).toBeDefined();
      expect(difference.reason, difference.path).not.toBe('');
      expect(difference.verdict ?? difference.arguments, difference.path).toBeDefined();
      if (difference.verdict !== undefined) expect(difference.verdict).not.toEqual(manifestVerdict(file!));
    }
  });

  test('another client got correct results all the time', async ({ expect }) => {
    await prober.stop();
    expect(prober.wrong.join('\n')).toBe('');
    expect(prober.right).toBeGreaterThan(0);
  });
});

/** Uploads the file with a statement and reads the complete answer as TSV with names and types. */
async function ask(
  url: string,
  file: ForeignFile,
  sql: string,
  format = 'TabSeparatedWithNamesAndTypes',
): Promise<Outcome> {
  const form = new FormData();
  form.append('sql', sql);
  form.append(PART, contents(file), PART);
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const response = await fetch(`${url}?output_format=${format}`, { method: 'POST', body: form, signal });
  const text = await response.text().catch((error) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  if (text === undefined) return { kind: 'cut off' };
  if (response.status === 200) return { kind: 'rows', text };
  return { kind: 'refused', status: response.status, description: JSON.parse(text).errors[0].description };
}

/**
 * The reason why the file was refused. If that was found after the first row, a format that can still report
 * it is requested.
 */
async function refusal(
  url: string,
  file: ForeignFile,
  source: string,
  outcome: Outcome,
): Promise<string | undefined> {
  if (outcome.kind === 'refused') return outcome.description;
  const lines = await ask(url, file, `SELECT * FROM ${source}`, 'JSONLines_Compact');
  if (lines.kind !== 'rows') return undefined;
  return JSON.parse(lines.text.trimEnd().split('\n').at(-1)!).errors?.[0].description;
}

function meets(outcome: Outcome, verdict: Verdict | undefined): boolean {
  if (verdict === undefined) return true;
  if (!verdict.read || outcome.kind !== 'rows') return verdict.read === (outcome.kind === 'rows');
  return verdict.rows === undefined || verdict.rows === dataRows(outcome.text);
}

const said = (outcome: Outcome): string => (outcome.kind === 'refused' ? outcome.description : outcome.kind);

const dataRows = (tsv: string): number => tsv.split('\n').length - 1 - DATA_ROWS_FROM;

async function ping(url: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const response = await fetch(url, { method: 'POST', body: 'SELECT 42', signal });
  return (await response.text()).split('\n')[DATA_ROWS_FROM];
}

/** A second client that repeats a query for 42 from its construction until it is stopped. */
class Prober {
  readonly wrong: string[] = [];
  right = 0;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;

  constructor(url: string) {
    this.#loop = this.#run(url);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(url: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await ping(url).catch((error) => String(error));
      if (answer === '42') this.right += 1;
      else this.wrong.push(`${new Date().toISOString()} ${answer}`);
      await pause(PROBE_INTERVAL_MS);
    }
  }
}
