import { join } from 'node:path';
import type { Workload } from '@tessera/workloads';
import { loadWorkload } from '../data/load-workload.ts';
import { Connection } from '../http/connection.ts';
import { directoryBytes } from '../processes/directory-bytes.ts';
import { promotionsDone } from '../processes/promotions.ts';
import { type OwnNode, startTessera, type Target } from '../processes/tessera.ts';
import type { Peer, PeerRun } from './peer.ts';

const FORMAT = 'TabSeparatedWithNames';

/** A server of our own API: a node started here, or an endpoint by its URL. */
export class ApiPeer implements Peer {
  readonly name: string;
  readonly version: string;
  readonly restart?: () => Promise<void>;
  readonly settled?: () => Promise<void>;
  #target: Target & Partial<OwnNode>;
  #connection: Connection;
  #tables: string[] = [];

  private constructor(name: string, version: string, target: Target & Partial<OwnNode>) {
    this.name = name;
    this.version = version;
    this.#target = target;
    this.#connection = new Connection(target.url, target.token);
    if (target.restart !== undefined) this.restart = () => this.#restart();
    if (target.metricsUrl !== undefined) this.settled = () => promotionsDone(this.#target.metricsUrl!);
  }

  /** `target` is stopped together with the peer. */
  static async over(name: string, target: Target): Promise<ApiPeer> {
    const connection = new Connection(target.url, target.token);
    try {
      const { text } = await connection.run('SELECT version()');
      return new ApiPeer(name, text.split('\n')[1] ?? '', target);
    } finally {
      await connection.close();
    }
  }

  static start = async (): Promise<ApiPeer> =>
    ApiPeer.over('Tessera', await startTessera({ reusesResults: true }));

  get pid(): number | undefined {
    return this.#target.pid;
  }

  get url(): string {
    return this.#target.url;
  }

  async load(workload: Workload, directory: string, progress: (table: string) => void): Promise<void> {
    const { url, token } = this.#target;
    const onTable = (table: string) => {
      progress(table);
      this.#tables.push(table);
    };
    await loadWorkload(url, workload, directory, { token, progress: onTable });
  }

  async storedBytes(): Promise<number | undefined> {
    const { dataDirectory } = this.#target;
    return dataDirectory === undefined ? undefined : directoryBytes(join(dataDirectory, 'objects'));
  }

  run(sql: string, limitMs: number): Promise<PeerRun> {
    return this.#run(sql, limitMs, false);
  }

  runReusing(sql: string, limitMs: number): Promise<PeerRun> {
    return this.#run(sql, limitMs, true);
  }

  async #run(sql: string, limitMs: number, reuses: boolean): Promise<PeerRun> {
    const settings = { enable_result_cache: String(reuses), enable_subresult_cache: String(reuses) };
    const { milliseconds, text } = await this.#connection.run(sql, FORMAT, limitMs, settings);
    return { milliseconds, names: text.split('\n', 1)[0]!.split('\t'), values: valuesOf(text) };
  }

  async stop(): Promise<void> {
    // An endpoint that already ran is left as it was found.
    if (this.#target.pid === undefined)
      for (const table of this.#tables) await this.#connection.run(`DROP TABLE IF EXISTS ${table}`);
    await this.#connection.close();
    await this.#target.stop();
  }

  async #restart(): Promise<void> {
    await this.#connection.close();
    this.#target = await this.#target.restart!();
    this.#connection = new Connection(this.#target.url);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

/** The values of tab-separated text after a line of names. */
function valuesOf(text: string): (string | undefined)[][] {
  const lines = text.split('\n').slice(1);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) =>
    line
      .split('\t')
      .map((value) =>
        value === '\\N'
          ? undefined
          : value.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped),
      ),
  );
}
