import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { copyFrom, discardBytes, fail, type TakeBytes, TesseraError } from '@tessera/common';
import { FileService, type NodeCredentials, openRpcChannel, RpcChannels } from '@tessera/rpc';
import type { ScannedFile } from '../file-scan.ts';

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

  /** Reads bytes of a file that the node at `address` shares. @throws TesseraError FILE_NOT_FOUND, NODE_LOST */
  async read(
    address: string,
    file: Pick<ScannedFile, 'sharedId'>,
    start: number,
    end: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const whole = Buffer.allocUnsafeSlow(end - start);
    let filled = 0;
    const take = async (bytes: Buffer) => {
      filled += bytes.copy(whole, filled);
    };
    await this.copy(address, file, [start, end], take, signal);
    return whole.subarray(0, filled);
  }

  /** Passes the same bytes to `take` in pieces. @throws TesseraError as `read`; what `take` throws */
  async copy(
    address: string,
    { sharedId = '' }: Pick<ScannedFile, 'sharedId'>,
    [start, end]: readonly [start: number, end: number],
    take: TakeBytes,
    signal: AbortSignal,
  ): Promise<void> {
    if (address === this.address) {
      await using file = await open(this.path(sharedId), 'r');
      await copyFrom(file, [start, end], take);
      return;
    }
    const client = this.#channels.to(address).client(FileService);
    const request = { id: sharedId, start: BigInt(start), end: BigInt(end) };
    let at = start;
    for await (const { bytes } of client.readFile(request, { signal })) {
      await take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
      at += bytes.length;
      discardBytes(bytes);
    }
  }

  close(): void {
    this.#channels.close();
  }
}
