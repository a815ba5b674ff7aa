import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { exposure, fail, type Logger, TesseraError } from '@tessera/common';
import type { TlsKeyPair } from '@tessera/http-api';

/** The paths of PEM files: the certificate chain and the key. */
export interface ListenerTlsFiles {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

interface NamedFiles {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate that expires within this time causes a warning. */
const SOON_MS = 14 * 24 * 3_600_000;

/** The certificate of the client listeners, which is read again on request. */
export class ListenerTls {
  readonly #files: NamedFiles;
  readonly #log: Logger;
  readonly #servers = new Set<Server>();
  #pair: TlsKeyPair;

  private constructor(files: NamedFiles, log: Logger) {
    this.#files = files;
    this.#log = log;
    this.#pair = readPair(files, log);
  }

  /**
   * Undefined if no file is configured.
   * @throws TesseraError INVALID_ARGUMENT if only one is configured, or if the files cannot be used
   */
  static open({ certificate, key }: ListenerTlsFiles, log: Logger): ListenerTls | undefined {
    if (certificate === undefined && key === undefined) return undefined;
    if (certificate === undefined || key === undefined)
      fail('INVALID_ARGUMENT', {
        message:
          'TLS takes two files: the certificate (--tls-cert or TESSERA_TLS_CERT) and its key (--tls-key or TESSERA_TLS_KEY)',
      });
    return new ListenerTls({ certificate, key }, log);
  }

  get current(): TlsKeyPair {
    return this.#pair;
  }

  /** The time when the current certificate expires. */
  get expiresAt(): Date {
    return new X509Certificate(this.#pair.cert).validToDate;
  }

  /** Makes the server use the current certificate for new connections from now on. */
  keepCurrent(server: Server): void {
    this.#servers.add(server);
  }

  /** Reads the files again. If they cannot be used, the old certificate stays and the reason is logged. */
  reload(): void {
    try {
      this.#pair = readPair(this.#files, this.#log);
      for (const server of this.#servers) server.setSecureContext(this.#pair);
      this.#log.info({ certificate: this.#files.certificate }, 'certificate reloaded');
    } catch (error) {
      const reason = (error as Error).message;
      this.#log.error({ reason }, 'the new certificate is invalid: keeping the old one');
    }
  }
}

function readPair({ certificate, key }: NamedFiles, log: Logger): TlsKeyPair {
  const pair = { cert: contentOf(certificate), key: contentOf(key) };
  checkKeyFile(key);
  try {
    createSecureContext(pair);
    const validTo = new X509Certificate(pair.cert).validToDate;
    if (validTo.getTime() < Date.now() + SOON_MS)
      log.warn({ certificate, validTo }, 'the certificate of the listeners is about to expire');
  } catch (error) {
    unfit(`${certificate} and ${key} do not make a certificate: ${(error as Error).message}`);
  }
  return pair;
}

function checkKeyFile(path: string): void {
  const who = exposure(statSync(path));
  if (who === undefined) return;
  const whom = who === 'group' ? 'its group' : 'every user of this machine';
  unfit(`${path} can be read or changed by ${whom}; run: chmod 600 '${path}'`);
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return unfit((error as Error).message);
  }
}

function unfit(reason: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', { message: `TLS of the listeners: ${reason}` });
}
