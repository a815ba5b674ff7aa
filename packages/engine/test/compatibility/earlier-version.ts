import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/**
 * The last version before the checked out commit: TESSERA_PREVIOUS_VERSION, the last tag from 0.2.0 on, or the commit that set such a
 * version where the tags are missing. Undefined: the checkout does not have it. Nodes of 0.1.0 refuse the log entries of later versions,
 * whose statistics have more fields.
 */
export function previousVersion(): string | undefined {
  const { TESSERA_PREVIOUS_VERSION: given } = process.env;
  if (given !== undefined) return given;
  const found = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
  const tag = found('describe', '--tags', '--abbrev=0', '--match', 'v*', '--exclude', 'v0.1.*', 'HEAD^');
  const message = '^Version \\(0\\.[2-9]\\|[1-9]\\)';
  return tag || found('log', '-1', '--format=%H', `--grep=${message}`, 'HEAD^') || undefined;
}

/** The sources of an earlier version, which run with the packages that are installed for this one. */
export class EarlierVersion implements Disposable {
  readonly #directory: string;

  constructor(version: string) {
    this.#directory = mkdtempSync(join(tmpdir(), 'tessera-earlier-'));
    const archive = execFileSync('git', ['archive', version, 'packages'], {
      cwd: ROOT,
      maxBuffer: 1 << 28,
    });
    execFileSync('tar', ['-x', '-C', this.#directory], { input: archive });
    for (const place of globSync('packages/*', { cwd: this.#directory }))
      this.#link(join('@tessera', place.slice('packages/'.length)), join(this.#directory, place));
    for (const place of globSync('packages/*/node_modules/{*,@*/*}', { cwd: ROOT })) {
      const name = place.split('/node_modules/')[1]!;
      if (!name.startsWith('@tessera') && (name.includes('/') || !name.startsWith('@')))
        this.#link(name, realpathSync(join(ROOT, place)));
    }
  }

  /** For `runBy`: starts this version with the arguments of the present one. */
  get runBy(): readonly string[] {
    const main = join(this.#directory, 'packages/engine/src/main.ts');
    return ['sh', '-c', 'node=$1; shift 2; exec "$node" "$0" "$@"', main];
  }

  #link(name: string, target: string): void {
    const link = join(this.#directory, 'node_modules', name);
    if (existsSync(link)) return;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}
