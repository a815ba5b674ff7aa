import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP link between two nodes that can be cut: existing connections are then closed and new ones refused.
 */
export class Link implements AsyncDisposable {
  /** The current target; a restarted node has another address. */
  target: { readonly host: string; readonly port: number } | undefined;
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #refused = 0;

  /** Listens on `host` and returns the port. */
  async start(host: string): Promise<number> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of connections that were refused since the link was cut. */
  get refused(): number {
    return this.#refused;
  }

  cut(): void {
    this.#isCut = true;
    this.#refused = 0;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#isCut = false;
  }

  #serve(socket: Socket): void {
    if (this.#isCut || this.target === undefined) {
      this.#refused++;
      socket.resetAndDestroy();
      return;
    }
    const onward = connect(this.target);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
