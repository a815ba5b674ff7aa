import { NativeConnection } from '../native/connection.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, offLoop, takeString } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { PROFILE_SETTING } from '../native/profile.ts';
import { startWorkers } from '../native/workers.ts';
import { quoteText } from '../types/quoting.ts';
import { DefinedRelations } from './defined-relations.ts';
import { createMacros, isMacro } from './macros.ts';
import { ReceivedRows } from './received-rows.ts';

/** The options that a kernel process gets at its start. */
export interface InstanceOptions extends SpaceLimits {
  readonly spillDirectory: string;
  /** The disk space that queries, and received rows, may each take; by default nine tenths of the free space. */
  readonly spillLimitBytes?: number | undefined;
  readonly readableDirectories: readonly string[];
  /** The number of threads for which a query is divided; 0 means one per core. */
  readonly threads: number;
  /** The number of threads of all queries together, if that is more. */
  readonly cores: number;
  readonly bootstrap: readonly string[];
  readonly definesRelations: boolean;
}

/** The database of a kernel process: in memory, set up by the bootstrap SQL, then locked down permanently. */
export class NativeInstance {
  readonly #database: Pointer;
  /** Undefined unless the kernel was started with `definesRelations`. */
  readonly relations: DefinedRelations | undefined;

  readonly received = new ReceivedRows();

  /** The number of open connections, without those that `open` made. */
  connections = 0;

  private constructor(database: Pointer, relations: DefinedRelations | undefined) {
    this.#database = database;
    this.relations = relations;
  }

  static async open(options: InstanceOptions): Promise<NativeInstance> {
    const database = openInMemory();
    const relations = options.definesRelations ? new DefinedRelations() : undefined;
    const instance = new NativeInstance(database, relations);
    const connection = instance.connect();
    relations?.install(database, connection);
    instance.received.install(connection, new NativeConnection(database, () => undefined));
    try {
      await connection.run(settings(options).join(';\n'));
      await createMacros(connection, options.bootstrap.filter(isMacro));
      const others = options.bootstrap.filter((statement) => !isMacro(statement));
      await connection.run([...others, ...lockDown(options)].join(';\n'));
    } finally {
      await connection.close();
    }
    // The thread that waits for a query executes its tasks, too.
    if (sharesCores(options)) startWorkers(instance.#database, options.cores - 1);
    return instance;
  }

  connect(): NativeConnection {
    const connection = new NativeConnection(this.#database, () => {
      this.connections -= 1;
    });
    this.connections += 1;
    return connection;
  }

  /** Ends the kernel's threads. There must be no connection, no workers of ours, and no defined relations. */
  async close(): Promise<void> {
    await this.received.close();
    const block = new NativeBlock(8);
    block.setPointer(0, this.#database);
    await offLoop(block, duckdb.close, block.address);
    this.received.forget();
  }
}

function openInMemory(): Pointer {
  const block = new NativeBlock(16);
  if (duckdb.openExt(':memory:', block.at(0), 0n, block.at(8)) !== 0) {
    throw new Error(`The kernel did not open: ${takeString(block.pointerAt(8))}`);
  }
  return block.pointerAt(0);
}

/** The memory, and the disk space for what does not fit into it, that an instance may use. */
export interface SpaceLimits {
  readonly memoryLimitBytes: number;
  /** Undefined if it takes what is free. */
  readonly spillLimitBytes?: number | undefined;
}

export const setSpace = ({ memoryLimitBytes, spillLimitBytes }: SpaceLimits): readonly string[] => [
  `SET memory_limit='${Math.max(1, Math.floor(memoryLimitBytes))}B'`,
  ...(spillLimitBytes === undefined ? [] : [`SET max_temp_directory_size='${Math.floor(spillLimitBytes)}B'`]),
];

/**
 * Whether several queries may use more threads together than one of them alone. With one thread each, every query runs on the
 * thread that waits for it.
 */
const sharesCores = ({ threads, cores }: InstanceOptions): boolean => threads > 1 && threads < cores;

const settings = (o: InstanceOptions): string[] => [
  'SET autoinstall_known_extensions=false',
  'SET autoload_known_extensions=false',
  ...(o.threads > 0 ? [`SET threads=${o.threads}`] : []),
  ...(sharesCores(o) ? [`SET external_threads=${o.threads}`] : []),
  `SET temp_directory=${quoteText(o.spillDirectory)}`,
  ...setSpace(o),
  'SET preserve_insertion_order=true',
  // Errors then carry their class and the position in the statement as data.
  'SET GLOBAL errors_as_json=true',
];

/**
 * Settings of a connection: progress is only computed with the progress bar on from the start; nothing is
 * printed.
 */
const PROGRESS_SETTINGS = [
  ['enable_progress_bar', 'true'],
  ['enable_progress_bar_print', 'false'],
  ['progress_bar_time', '0'],
] as const;
export const COUNT_PROGRESS = PROGRESS_SETTINGS.map(([name, value]) => `SET ${name}=${value}`).join(';');

/** The order matters: each step would forbid the steps before it. */
const lockDown = (o: InstanceOptions): string[] => [
  `SET allowed_directories=[${o.readableDirectories.map(quoteText).join(', ')}]`,
  'SET enable_external_access=false',
  `SET allowed_configs=['TimeZone', 'memory_limit', 'max_temp_directory_size', ${[...PROGRESS_SETTINGS.map(([name]) => name), PROFILE_SETTING].map(quoteText).join(', ')}]`,
  'SET lock_configuration=true',
];
