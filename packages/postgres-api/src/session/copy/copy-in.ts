import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, TesseraError } from '@tessera/common';
import type { CopyInput, LazyRequestDirectory } from '@tessera/coordinator';
import type { OutputColumn } from '@tessera/sql';
import type { CopyInCommand } from '../../commands/copy-command.ts';
import { copyResponse } from '../../protocol/backend-message.ts';
import { readFrontendMessage } from '../../protocol/frontend-message.ts';
import type { Outcome, StatementRun } from '../outcome.ts';
import type { SessionState } from '../session-state.ts';
import { BinaryCopyDecoder, DECODED_FORMAT } from './binary-copy.ts';

const BATCH_BYTES = 1 << 20;
/** Fewer than the number of buffers that one system call accepts. */
const BATCH_BUFFERS = 512;

/** A file that collects received rows in large writes. */
class CopyFile {
  bytes = 0;
  readonly #file: FileHandle;
  #batch: Buffer[] = [];
  #batchBytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<CopyFile> {
    return new CopyFile(await open(path, 'wx', 0o600));
  }

  /** @throws TesseraError DISK_FULL */
  async write(chunk: Buffer): Promise<void> {
    this.#batch.push(chunk);
    this.#batchBytes += chunk.length;
    this.bytes += chunk.length;
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_BUFFERS) await this.flush();
  }

  /** @throws TesseraError DISK_FULL */
  async flush(): Promise<void> {
    if (this.#batchBytes === 0) return;
    const bytes = Buffer.concat(this.#batch, this.#batchBytes);
    this.#batch = [];
    this.#batchBytes = 0;
    try {
      await this.#file.writeFile(bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
      fail('DISK_FULL', { what: 'the rows of COPY' }, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * `COPY t FROM STDIN`: writes the client's data to a file of the statement and loads it when it is complete.
 * @throws TesseraError if the table cannot be written; FORBIDDEN before any data is received
 */
export async function copyIn(
  state: SessionState,
  command: CopyInCommand,
  { moreMayFollow }: StatementRun,
): Promise<Outcome> {
  const { transaction, engine } = state;
  await checkRights(state, command);
  const columns = await describedColumns(state, command);
  if (moreMayFollow) await transaction.beginImplicit();
  return {
    kind: 'dialogue',
    run: async () => {
      const statement = { sql: copySql(command), parameters: [], encoding: { kind: 'arrow' } } as const;
      const outcome = await engine.start(statement, async (directory, signal): Promise<CopyInput> => {
        const { table, options } = command;
        const isBinary = options.format === 'binary';
        const decoder = isBinary ? new BinaryCopyDecoder(table, columns) : undefined;
        state.stream.write(copyResponse('in', columns.length, isBinary ? 'binary' : 'text'));
        const path = await receive(state, directory, signal, decoder);
        return { path, format: isBinary ? DECODED_FORMAT : options };
      });
      return `COPY ${outcome.kind === 'done' ? outcome.affectedRows : 0}`;
    },
  };
}

const copySql = ({ table, columns }: CopyInCommand): string =>
  `COPY ${table}${columns === undefined ? '' : ` (${columns.join(', ')})`} FROM STDIN`;

async function checkRights({ engine }: SessionState, command: CopyInCommand): Promise<void> {
  try {
    await engine.describe(copySql(command), []);
  } catch (error) {
    // The place refers to another text, so it is removed.
    throw error instanceof TesseraError ? error.with({ location: undefined }) : error;
  }
}

/**
 * The columns that the client sends; in a text format, none if the user may write the table but not read it.
 * @throws TesseraError FORBIDDEN in binary format, whose values need their types
 */
async function describedColumns(
  { engine }: SessionState,
  { table, columns, options }: CopyInCommand,
): Promise<readonly OutputColumn[]> {
  try {
    const described = await engine.describe(`SELECT ${columns?.join(', ') ?? '*'} FROM ${table}`, []);
    return described.columns ?? [];
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    if (error.name !== 'FORBIDDEN' || options.format === 'binary') throw error.with({ location: undefined });
    return (columns ?? []).map((name) => ({ name, type: { kind: 'text' }, nullable: true }));
  }
}

/** Receives the client's data and returns the path of the file with all of it. */
async function receive(
  state: SessionState,
  directory: LazyRequestDirectory,
  signal: AbortSignal,
  decoder: BinaryCopyDecoder | undefined,
): Promise<string> {
  await state.stream.flush();
  const path = join(await directory.open(), 'stdin');
  const file = await CopyFile.create(path);
  try {
    await receiveRows(state, file, signal, decoder);
    await file.flush();
    return path;
  } finally {
    await file.close();
  }
}

/** @throws TesseraError QUERY_CANCELLED if the client aborts the copy, FILE_TOO_LARGE, PROTOCOL_VIOLATION */
async function receiveRows(
  { stream, limits }: SessionState,
  file: CopyFile,
  signal: AbortSignal,
  decoder: BinaryCopyDecoder | undefined,
): Promise<void> {
  for (;;) {
    const frame = await stream.message(limits.maxMessageBytes, signal);
    if (frame === undefined) throw TesseraError.of('QUERY_CANCELLED', { reason: 'the client disconnected' });
    const message = readFrontendMessage(frame);
    switch (message.kind) {
      case 'copy_data':
        await file.write(decoder === undefined ? message.data : decoder.decode(message.data));
        if (file.bytes > limits.maxCopyBytes) {
          fail('FILE_TOO_LARGE', { name: 'COPY FROM STDIN', limitBytes: limits.maxCopyBytes });
        }
        break;
      case 'copy_done':
        decoder?.end();
        return;
      case 'copy_fail':
        fail('QUERY_CANCELLED', { reason: `COPY from stdin failed: ${message.reason}` });
        break;
      // Clients of the extended protocol send these ahead; PostgreSQL also ignores them here.
      case 'flush':
      case 'sync':
        break;
      default:
        fail('PROTOCOL_VIOLATION', {
          message: `Unexpected message of type ${frame.type} during COPY FROM STDIN`,
        });
    }
  }
}
