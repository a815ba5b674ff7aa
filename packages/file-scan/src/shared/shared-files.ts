import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { discardBytes, fail, readInto, TesseraError } from '@tessera/common';
import { FileService, type NodeCredentials, openRpcChannel, RpcChannels } from '@tessera/rpc';
import type { ScannedFile } from '../file-scan.ts';

/** The bytes of a shared file that a node sends at once. */
export const SHARED_CHUNK_BYTES = 1 << 20;

export interface SharedFilesOptions {
  /** The `host:port` at which the node serves `fileService`. */
  readonly address: string;
  readonly credentials: NodeCredentials;
}

/** The files of this node that other nodes read in parts, and access to those of other nodes. */
export class SharedFiles {
  /** The address at which other nodes request the files of this one. */
  readonly address: string;
  readonly #paths = new Map<string, string>();
  readonly #channels: RpcChannels;

  constructor({ address, credentials }: SharedFilesOptions) {
    this.address = address;
    this.#channels = new RpcChannels((to) => {
      const unanswered = (reason: string) => TesseraError.of('NODE_LOST', { node: to, reason });
      return openRpcChannel({ ...credentials, address: to, unanswered });
    });
  }

  /** Lets other nodes read a file until it is released. */
  share(path: string): { readonly id: string; release(): void } {
    const id = randomUUID();
    this.#paths.set(id, path);
    return { id, release: () => void this.#paths.delete(id) };
  }

  /** The path of a file that this node shares. @throws TesseraError FILE_NOT_FOUND */
  path(id: string): string {
    const hint = 'the query that shared it has ended';
    return this.#paths.get(id) ?? fail('FILE_NOT_FOUND', { url: `shared file ${id}`, hint });
  }

  /**
   * Reads bytes of a file that the node at `address` shares. @throws TesseraError FILE_NOT_FOUND, NODE_LOST
   */
  async read(
    address: string,
    { sharedId = '' }: Pick<ScannedFile, 'sharedId'>,
    start: number,
    end: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (address === this.address) {
      await using file = await open(this.path(sharedId), 'r');
      return readFrom(file, start, end);
    }
    const client = this.#channels.to(address).client(FileService);
    const request = { id: sharedId, start: BigInt(start), end: BigInt(end) };
    const pieces: Uint8Array[] = [];
    for await (const { bytes } of client.readFile(request, { signal })) pieces.push(bytes);
    if (pieces.length === 1) return pieces[0]!;
    const whole = Buffer.concat(pieces);
    for (const piece of pieces) discardBytes(piece);
    return whole;
  }

  close(): void {
    this.#channels.close();
  }
}

/** Reads bytes `start` to `end` (exclusive) of a file; returns fewer only at its end. */
export async function readFrom(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, end - start));
  return buffer.subarray(0, await readInto(file, buffer, start));
}
