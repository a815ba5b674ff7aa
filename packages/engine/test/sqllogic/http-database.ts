import { query } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import type { Database, SqlResult } from './database.ts';

interface Session {
  parameters: Record<string, string>;
  /** The node of the last statement: a transaction stays on the node where it began. */
  node: number;
}

/**
 * The engine over HTTP. Statements go to the nodes in turn; those of a transaction go to one node. Each file
 * has a database of its own.
 */
export class HttpDatabase implements Database {
  readonly names = new Set(['tessera']);
  readonly #nodes: readonly Pick<TesseraProcess, 'url'>[];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #sessions = new Map<string, Session>();
  readonly #unique = process.pid;
  #turn = 0;
  #files = 0;
  #database: string | undefined;

  constructor(
    nodes: readonly Pick<TesseraProcess, 'url'>[],
    settings: Readonly<Record<string, string>> = {},
  ) {
    this.#nodes = nodes;
    this.#settings = settings;
  }

  async run(sql: string, connection = ''): Promise<SqlResult> {
    const found = this.#sessions.get(connection);
    const session = found ?? {
      parameters: this.#database === undefined ? {} : { database: this.#database },
      node: 0,
    };
    if (found === undefined) this.#sessions.set(connection, session);
    if (!('transaction_id' in session.parameters)) session.node = this.#turn++ % this.#nodes.length;
    const answer = await this.#send(sql, session);
    session.parameters = after(session.parameters, answer.headers);
    if (answer.text === '') return { columns: [], rows: [] };
    const body = answer.json<{
      message: string;
      meta: { name: string; type: string }[];
      data: unknown[][];
    }>();
    if (answer.status !== 200) throw new Error(body.message);
    const columns = body.meta.map(({ name, type }) => ({ name, type: type.toLowerCase() }));
    return { columns, rows: body.data };
  }

  async fresh(): Promise<void> {
    if (this.#database !== undefined) await this.#definite(`DROP DATABASE ${this.#database} CASCADE`);
    this.#sessions.clear();
    this.#database = `slt_${this.#unique}_${this.#files++}`;
    await this.#definite(`CREATE DATABASE ${this.#database}`);
  }

  async close(): Promise<void> {}

  async #definite(sql: string): Promise<void> {
    const answer = await this.#send(sql, { parameters: {}, node: 0 });
    if (answer.status !== 200) throw new Error(`${sql}: ${answer.text}`);
  }

  #send(sql: string, { parameters, node }: Session) {
    const sent = { ...this.#settings, ...parameters, output_format: 'JSON_Compact' };
    return query(this.#nodes[node]!, sql, sent);
  }
}

/** The session parameters after an answer, as clients keep them. */
function after(parameters: Record<string, string>, headers: Headers): Record<string, string> {
  const next = headers.has('Firebolt-Reset-Session') ? {} : { ...parameters };
  const update = headers.get('Firebolt-Update-Parameters');
  if (update !== null) {
    const at = update.indexOf('=');
    next[update.slice(0, at)] = update.slice(at + 1);
  }
  const removed = headers.get('Firebolt-Remove-Parameters');
  if (removed !== null) delete next[removed];
  return next;
}
