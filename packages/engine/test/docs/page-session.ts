import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { splitStatements } from '@tessera/sql';
import { PagePorts } from './page-ports.ts';
import { pagePrograms } from './page-programs.ts';
import type { RunLanguage } from './page-steps.ts';
import type { Renamed } from './shown-output.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Commands that keep running, and the output that shows that they are ready. */
const STAYS = /\b(?:tessera (?:serve|dev-cluster)|pnpm@12 start)\b(?!.*(?:&$|--help))/m;
const READY = /"msg":"listening"| ready\.\n/;

const FILE_NAMES: Readonly<Record<Exclude<RunLanguage, 'sh' | 'sql'>, string>> = {
  python: 'page.py',
  javascript: 'page.mjs',
  java: 'Page.java',
};

const RUNS: Readonly<Record<keyof typeof FILE_NAMES, string>> = {
  python: '/usr/bin/python3 page.py',
  javascript: 'node page.mjs',
  java: 'java -Xmx192m -XX:TieredStopAtLevel=1 -cp /usr/share/java/postgresql.jar Page.java',
};

/**
 * A reader who follows a page from its top, with one directory, one shell that keeps its variables, and a
 * terminal for commands that keep running. Ports that the page names are replaced by free ones.
 */
export class PageSession implements AsyncDisposable {
  readonly #directory: string;
  readonly #ports: PagePorts;
  readonly #renamed: Renamed[] = [];
  readonly #settings = new Map<string, string>();
  #staying:
    | { readonly commands: string; readonly child: ChildProcess; readonly ended: Promise<unknown> }
    | undefined;

  private constructor(directory: string, ports: PagePorts) {
    this.#directory = directory;
    this.#ports = ports;
  }

  static async open(): Promise<PageSession> {
    const root = join(import.meta.dirname, '../../../..');
    const directory = await mkdtemp(join(tmpdir(), 'tessera-page-'));
    const session = new PageSession(directory, await PagePorts.choose());
    const engine = dirname(dirname(import.meta.dirname));
    await symlink(join(root, 'examples'), join(directory, 'examples'));
    await symlink(join(engine, 'node_modules'), join(directory, 'node_modules'));
    await mkdir(join(directory, '.page'));
    for (const [name, text] of Object.entries(pagePrograms((port) => session.#ports.given(port)))) {
      await writeFile(join(directory, '.page', name), text);
      await chmod(join(directory, '.page', name), 0o755);
    }
    return session;
  }

  /** The text of the page with the actual ports and names. */
  meant = (text: string): string =>
    this.#renamed.reduce((rest, [shown, given]) => rest.replaceAll(shown, given), this.#ports.toGiven(text));

  /** Output in the form in which the page would show it. */
  asShown = (text: string): string =>
    this.#renamed.reduce(
      (rest, [shown, given]) => rest.replaceAll(given, shown),
      this.#ports.toShown(text).replaceAll(this.#directory, '.'),
    );

  /** Begins another page: variables, settings and names of the previous page are reset. */
  async turnPage(): Promise<void> {
    this.#renamed.length = 0;
    this.#settings.clear();
    await rm(join(this.#directory, '.page', 'state'), { force: true });
  }

  /** From now on, replaces a shown text by the actual one. */
  rename(renamed: readonly Renamed[]): void {
    this.#renamed.push(...renamed.filter(([shown, given]) => shown !== given));
  }

  async writeFile(name: string, text: string): Promise<void> {
    const path = join(this.#directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.meant(text));
  }

  async run(language: RunLanguage, text: string): Promise<Ran> {
    const meant = this.meant(text);
    if (language === 'sql') return this.#statements(meant);
    if (language === 'sh') return STAYS.test(meant) ? this.#stay(meant) : this.#shell(meant);
    await writeFile(join(this.#directory, FILE_NAMES[language]), meant);
    return this.#shell(RUNS[language]);
  }

  async #shell(commands: string): Promise<Ran> {
    const child = this.#bash(commands);
    const output = collected(child);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  }

  /** Starts a command that keeps running, in place of the previous one, and waits until it is ready. */
  async #stay(commands: string): Promise<Ran> {
    if (this.#staying?.commands === commands) return { code: 0, stdout: '', stderr: '' };
    await this.#leave();
    const child = this.#bash(commands);
    const output = collected(child);
    const ended = once(child, 'close');
    this.#staying = { commands, child, ended };
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', () => READY.test(output.stdout + output.stderr) && resolve());
    });
    const code = await Promise.race([ready.then(() => 0), ended.then(([status]) => status as number)]);
    return { code, ...output };
  }

  #bash(commands: string): ChildProcess {
    const state = join(this.#directory, '.page', 'state');
    const whole = `cd "$HOME"; [ ! -e ${state} ] || . ${state}; trap 'export -p >${state}' EXIT; set -a\n${commands}`;
    return spawn('bash', ['-euo', 'pipefail', '-c', whole], {
      cwd: this.#directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: {
        PATH: `${join(this.#directory, '.page')}:/usr/bin:/bin:/usr/sbin:/sbin:${process.env.PATH}`,
        HOME: this.#directory,
        LC_ALL: 'C.UTF-8',
        PAGER: 'cat',
        PGPORT: this.#ports.given(5432),
        TESSERA_URL: `http://127.0.0.1:${this.#ports.given(3473)}`,
      },
    });
  }

  /**
   * Runs statements as an HTTP client: the effects of SET, USE and BEGIN are sent with the following
   * statements.
   */
  async #statements(text: string): Promise<Ran> {
    let stdout = '';
    for (const { text: sql } of splitStatements(text)) {
      const url = new URL(`http://127.0.0.1:${this.#ports.given(3473)}/?output_format=PSQL`);
      for (const [name, value] of this.#settings) url.searchParams.set(name, value);
      const form = new FormData();
      form.append('sql', sql);
      for (const [, name] of sql.matchAll(/upload:\/\/(\w+)/g))
        form.append(name!, await this.#upload(name!), name!);
      const response = await fetch(url, { method: 'POST', body: form });
      const answer = await response.text();
      if (!response.ok) return { code: 1, stdout, stderr: answer };
      stdout += answer;
      this.#update(response.headers);
    }
    return { code: 0, stdout, stderr: '' };
  }

  async #upload(name: string): Promise<Blob> {
    for (const place of ['.', 'examples']) {
      const there = await readdir(join(this.#directory, place));
      const file = there.find((candidate) => candidate.startsWith(`${name}.`));
      if (file !== undefined) return new Blob([await readFile(join(this.#directory, place, file))]);
    }
    throw new Error(`upload://${name}: no such file`);
  }

  #update(headers: Headers): void {
    for (const pair of headers.get('firebolt-update-parameters')?.split(',') ?? []) {
      const [name = '', value = ''] = pair.trim().split('=');
      this.#settings.set(name, decodeURIComponent(value));
    }
    for (const name of headers.get('firebolt-remove-parameters')?.split(',') ?? [])
      this.#settings.delete(name.trim());
  }

  async #leave(): Promise<void> {
    if (this.#staying === undefined) return;
    const { child, ended } = this.#staying;
    this.#staying = undefined;
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function collected(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return output;
}
