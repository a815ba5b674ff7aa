import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** Whether this process may create networks. */
export const canMakeNetworks: boolean = (() => {
  const name = `tessera-${randomBytes(3).toString('hex')}`;
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return false;
  const linked = spawnSync('ip', [
    'link',
    'add',
    `${name.slice(-6)}o`,
    'type',
    'veth',
    'peer',
    'name',
    'v',
    'netns',
    name,
  ]);
  spawnSync('ip', ['netns', 'delete', name]);
  return linked.status === 0;
})();

/**
 * A network with another machine and a virtual cable between the two, which can be cut: packets are then lost
 * silently.
 */
export class NetworkNamespace implements Disposable {
  /** The address of this machine in the network. */
  readonly near: string;
  /** The address of the other machine. */
  readonly far: string;
  readonly #name = `tessera-${randomBytes(3).toString('hex')}`;

  constructor() {
    // These addresses are reserved for benchmarking (RFC 2544), so nobody else should use them.
    const network = `198.18.${1 + Math.floor(Math.random() * 250)}`;
    this.near = `${network}.1`;
    this.far = `${network}.2`;
    const wire = `v${this.#name.slice(-6)}`;
    ip('netns', 'add', this.#name);
    try {
      ip('link', 'add', wire, 'type', 'veth', 'peer', 'name', 'wire', 'netns', this.#name);
      ip('address', 'add', `${this.near}/24`, 'dev', wire);
      ip('link', 'set', wire, 'up');
      ip('-n', this.#name, 'address', 'add', `${this.far}/24`, 'dev', 'wire');
      ip('-n', this.#name, 'link', 'set', 'lo', 'up');
      this.heal();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** A command that runs another command on the far machine. */
  get runBy(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  cut(): void {
    ip('-n', this.#name, 'link', 'set', 'wire', 'down');
  }

  heal(): void {
    ip('-n', this.#name, 'link', 'set', 'wire', 'up');
  }

  /** Deleting the network removes the cable too. */
  [Symbol.dispose](): void {
    ip('netns', 'delete', this.#name);
  }
}
