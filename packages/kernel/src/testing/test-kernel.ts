import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Schema, tableFromIPC } from 'apache-arrow';
import type { KernelResult } from '../client/result-stream.ts';
import { type Kernel, type KernelOptions, startKernel } from '../kernel.ts';

export interface TestKernel extends AsyncDisposable {
  readonly kernel: Kernel;
  readonly directory: string;
  readonly logged: string[];
}

/** A kernel in a temporary directory, which is removed on disposal. */
export async function testKernel(options: Partial<KernelOptions> = {}): Promise<TestKernel> {
  const directory = mkdtempSync(join(tmpdir(), 'kernel-test-'));
  const logged: string[] = [];
  const log = (_details: object, message: string) => void logged.push(message);
  const kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [join(directory, 'files')],
    memoryLimitBytes: 1e9,
    threads: 2,
    bootstrap: [],
    log: { info: log, warn: log, error: log },
    ...options,
  });
  return {
    kernel,
    directory,
    logged,
    [Symbol.asyncDispose]: async () => {
      await kernel.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export const schemaOf = (result: KernelResult): Schema => tableFromIPC(result.schemaIpc).schema;

/** The result's messages in the form that an append takes: dictionaries before the first batch. */
export async function* messagesOf(result: KernelResult): AsyncGenerator<{ ipc: Uint8Array }> {
  const view = new DataView(result.schemaIpc.buffer, result.schemaIpc.byteOffset);
  const dictionaries = result.schemaIpc.subarray(8 + view.getInt32(4, true));
  if (dictionaries.length > 0) yield { ipc: dictionaries };
  for await (const batch of result.batches) yield { ipc: batch.ipc };
}
