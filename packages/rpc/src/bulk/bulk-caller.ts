import { create, toBinary } from '@bufbuild/protobuf';
import { TesseraError } from '@tessera/common';
import type { ClusterTls } from '../cluster-tls.ts';
import { BulkCallSchema } from '../generated/tessera/v1/bulk_pb.ts';
import { BulkConnection, type BulkConnectionOptions, NoBulkServer } from './bulk-connection.ts';

/** After this time, a server that did not know bulk connections may have been replaced by another version. */
const TRY_AGAIN_MS = 60_000;

/** Makes calls at one address, each on a bulk connection of its own. Connections are used again. */
export class BulkCaller {
  readonly #options: BulkConnectionOptions;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #connections = new Set<BulkConnection>();
  readonly #idle: BulkConnection[] = [];
  #refusedUntil = 0;

  constructor(address: string, metadata: Readonly<Record<string, string>>, tls: ClusterTls | undefined) {
    const { hostname, port } = new URL(`tcp://${address}`);
    this.#options = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port), tls };
    this.#metadata = metadata;
  }

  /**
   * The encoded responses to an encoded request. `signal` cancels the call. The request must be one that may be repeated.
   * @throws NoBulkServer if the call must be made over gRPC
   * @throws Error, TesseraError as `BulkConnection.call`
   */
  async *call(path: string, request: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    const encoded = create(BulkCallSchema, { path, metadata: this.#metadata, request });
    const call = toBinary(BulkCallSchema, encoded);
    for (let idle = this.#takeIdle(); idle !== undefined; idle = this.#takeIdle()) {
      let hasBegun = false;
      try {
        for await (const response of this.#callOn(idle, call, signal)) {
          hasBegun = true;
          yield response;
        }
        return;
      } catch (error) {
        // The server may have closed the connection just before.
        if (hasBegun || error instanceof TesseraError || signal?.aborted) throw error;
      }
    }
    if (performance.now() < this.#refusedUntil) throw new NoBulkServer(true);
    try {
      yield* this.#callOn(new BulkConnection(this.#options), call, signal);
    } catch (error) {
      if (error instanceof NoBulkServer && error.isReachable)
        this.#refusedUntil = performance.now() + TRY_AGAIN_MS;
      throw error;
    }
  }

  async *#callOn(
    connection: BulkConnection,
    call: Uint8Array,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Buffer> {
    const cancel = () => connection.close();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#connections.add(connection);
    try {
      yield* connection.call(call);
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (connection.isOpen) this.#idle.push(connection);
      else this.#connections.delete(connection);
    }
  }

  #takeIdle(): BulkConnection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isOpen) return idle;
      this.#connections.delete(idle);
    }
    return undefined;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}
