import { mkdirSync, mkdtempSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, type KernelSession, startKernel, type TextRows } from '@tessera/kernel';
import {
  describeQuery,
  formatTypeName,
  formattedQuery,
  kernelBootstrap,
  type ParameterDescription,
  type PrepareContext,
  type PreparedQuery,
  parameterDescription,
  prepareQuery,
  type QueryParameter,
  type RowFormat,
  writtenRows,
} from '../src/index.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** A session that records the names of its methods that are called, and their first arguments. */
export function recorded(session: KernelSession) {
  const calls: { readonly method: string; readonly argument: string }[] = [];
  const recording = new Proxy(session, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        calls.push({ method: String(name), argument: String(args[0]) });
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { session: recording, calls };
}

let started: { readonly kernel: Promise<Kernel>; readonly readable: string } | undefined;

/** The kernel of all dialects of this process, which ends with it, and the directory that its SQL may read. */
function sharedKernel() {
  if (started !== undefined) return started;
  const directory = mkdtempSync(join(tmpdir(), 'tessera-sql-'));
  const readable = join(directory, 'readable');
  mkdirSync(readable);
  const kernel = startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [readable],
    memoryLimitBytes: 500_000_000,
    threads: 2,
    bootstrap: kernelBootstrap,
    log: silent,
  });
  started = { kernel, readable };
  return started;
}

/** The dialect over a session of a real kernel. `upload://<name>` refers to a file of its directory. */
export class Dialect implements AsyncDisposable {
  readonly #directory: string;
  readonly #session: KernelSession;

  private constructor(directory: string, session: KernelSession) {
    this.#directory = directory;
    this.#session = session;
  }

  static async open(): Promise<Dialect> {
    const { kernel, readable } = sharedKernel();
    return new Dialect(await mkdtemp(join(readable, 'dialect-')), await (await kernel).session());
  }

  async file(name: string, content: string | Uint8Array): Promise<void> {
    await writeFile(join(this.#directory, name), content);
  }

  context(parameters: readonly QueryParameter[] = []): PrepareContext & { readonly session: KernelSession } {
    return {
      session: this.#session,
      settings: { timezone: 'UTC' },
      parameters,
      sessionValues: { account: 'acme', database: 'tessera', engine: 'engine', user: 'ada' },
      resolveRead: async ({ url }) => ({
        kind: 'files',
        paths: [join(this.#directory, url.replace('upload://', ''))],
      }),
    };
  }

  /** The response body for the rows of a query, however many they are. */
  async body(
    query: string | PreparedQuery,
    format: RowFormat,
    parameters?: readonly QueryParameter[],
  ): Promise<string> {
    const prepared = typeof query === 'string' ? await this.prepare(query, parameters) : query;
    return textOf(await this.#session.texts(formattedQuery(prepared, { format }), prepared.parameters));
  }

  /** The response body for the rows of a query that has few of them. */
  async writtenBody(query: string | PreparedQuery, format: RowFormat): Promise<string> {
    const prepared = typeof query === 'string' ? await this.prepare(query) : query;
    const { sql: values, rowText } = writtenRows(prepared, { format })!;
    return textOf((await this.#session.writtenRows(values, prepared.parameters, rowText))!);
  }

  /** A query whose body can be written in several formats. */
  prepare(sql: string, parameters?: readonly QueryParameter[]): Promise<PreparedQuery> {
    return prepareQuery(sql, this.context(parameters));
  }

  /** The rows in the form of the JSON formats. */
  async rows(sql: string, parameters?: readonly QueryParameter[]): Promise<unknown[][]> {
    const body = await this.body(sql, 'json_array', parameters);
    return JSON.parse(`[${body.slice(1)}]`) as unknown[][];
  }

  /** `name: type` of each column. */
  async columns(sql: string, parameters?: readonly QueryParameter[]): Promise<string[]> {
    const { columns } = await prepareQuery(sql, this.context(parameters));
    return columns.map((column) => `${column.name}: ${formatTypeName(column)}`);
  }

  async describe(sql: string): Promise<ParameterDescription> {
    return parameterDescription(await describeQuery(sql, this.context()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.close();
    await rm(this.#directory, { recursive: true });
  }
}

async function textOf(rows: AsyncIterable<TextRows> | Iterable<TextRows>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const { bytes } of rows) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts).toString('utf8');
}
