import type { RpcChannel } from '@tessera/rpc';

/** Channels to other nodes, one per address, opened on first use. */
export class Channels {
  readonly #open: (address: string) => RpcChannel;
  readonly #channels = new Map<string, RpcChannel>();

  constructor(open: (address: string) => RpcChannel) {
    this.#open = open;
  }

  to(address: string): RpcChannel {
    let channel = this.#channels.get(address);
    if (channel === undefined) {
      channel = this.#open(address);
      this.#channels.set(address, channel);
    }
    return channel;
  }

  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }
}
