import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** Whether this process may make networks. */
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
 * A network with one machine in it besides this one, and a wire between the two that can be cut: packets are lost then, and
 * nobody is told.
 */
export class NetworkNamespace implements Disposable {
  /** This machine, in the network. */
  readonly near: string;
  /** The other one. */
  readonly far: string;
  readonly #name = `tessera-${randomBytes(3).toString('hex')}`;

  constructor() {
    // Benchmarking networks (RFC 2544): nobody else should have them.
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

  /** A command that runs another one on the far machine. */
  get runBy(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  cut(): void {
    ip('-n', this.#name, 'link', 'set', 'wire', 'down');
  }

  heal(): void {
    ip('-n', this.#name, 'link', 'set', 'wire', 'up');
  }

  /** The wire goes with the network it leads to. */
  [Symbol.dispose](): void {
    ip('netns', 'delete', this.#name);
  }
}
