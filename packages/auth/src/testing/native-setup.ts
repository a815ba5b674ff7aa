import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Authenticator } from '../authenticator.ts';
import { nativeAuthenticator } from '../native/native-authenticator.ts';
import type { NativeConfig } from '../native/signing-keys.ts';
import { makeCredential } from '../passwords/credential.ts';
import { type LogFile, logFile } from './log-file.ts';
import { TestTimer } from './test-timer.ts';
import { TestUsers } from './test-users.ts';

export const INSTANCE = 'https://tessera.example';

export const newRsaKey = (modulusLength = 2048): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey;
export const newEcKey = (namedCurve = 'P-256'): KeyObject =>
  generateKeyPairSync('ec', { namedCurve }).privateKey;

/** A directory of key files. */
export class KeyFiles implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tessera-keys-'));
  #made = 0;

  write(key: KeyObject | string, mode = 0o600): string {
    const path = join(this.#directory, `${this.#made++}.pem`);
    const pem = typeof key === 'string' ? key : key.export({ format: 'pem', type: 'pkcs8' });
    writeFileSync(path, pem, { mode });
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}

export const nativeConfig = (more: Partial<NativeConfig> = {}): NativeConfig => ({
  initial_user: null,
  jwt: { clock_skew_tolerance: 30_000, max_token_age: 86_400_000, token_expiry: 3_600_000 },
  signing_algorithm: 'RS256',
  signing_keys: [],
  ...more,
});

/** Created once, because it is expensive. */
const WONDERLAND = await makeCredential('wonderland');

/** An instance in native mode with the user `alice`, whose password is `wonderland`. */
export class NativeSetup implements AsyncDisposable {
  readonly users = new TestUsers();
  readonly timer = new TestTimer();
  readonly logFile: LogFile = logFile();
  readonly authenticator: Authenticator;

  private constructor(config: NativeConfig, secret: string | undefined) {
    const { users, timer } = this;
    this.authenticator = nativeAuthenticator({
      config,
      instanceId: INSTANCE,
      users,
      timer,
      secret,
      log: this.logFile.log,
    });
  }

  static async open(config: Partial<NativeConfig> = {}, secret?: string): Promise<NativeSetup> {
    const setup = new NativeSetup(nativeConfig(config), secret);
    await setup.users.create('alice', WONDERLAND);
    return setup;
  }

  /** Logs in like `POST /oauth/token`. */
  async tokenOf(name = 'alice', password = 'wonderland'): Promise<string> {
    const user = await this.authenticator.password(name, password, '192.0.2.1');
    const issued = await this.authenticator.issue?.(user);
    return issued?.accessToken ?? '';
  }

  /** Returns the user of a token, or the message of its refusal. */
  async show(token: string): Promise<string> {
    return this.authenticator.token(token, '192.0.2.1').then(
      (user) => user.name,
      (error) => `${error.name}: ${error.message}`,
    );
  }

  /** Waits until the log contains the reason of the last refusal. */
  async expectReason(reason: string): Promise<void> {
    await expect.poll(() => this.#reasons().at(-1)).toBe(reason);
  }

  #reasons(): unknown[] {
    const lines = this.logFile.text().split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line).reason).filter((reason) => reason !== undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.authenticator.close();
    await this.logFile[Symbol.asyncDispose]();
  }
}
