import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';

/** A certificate chain and its key, as PEM. */
export interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The ALPN protocol that a client must name if it starts TLS without a request. */
const PROTOCOL = 'postgresql';

/** Upgrades connections to TLS with the provider's current certificate. */
export class TlsUpgrade {
  readonly #provider: () => Certificate;
  #certificate: Certificate | undefined;
  #context: SecureContext | undefined;

  constructor(provider: () => Certificate) {
    this.#provider = provider;
  }

  /**
   * @param first bytes that the client has already sent
   * @throws the error that made the handshake fail
   */
  async upgrade(socket: Socket, { first, direct }: { first: Buffer; direct: boolean }): Promise<TLSSocket> {
    if (first.length > 0) socket.unshift(first);
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: this.#secureContext(),
      ALPNProtocols: [PROTOCOL],
    });
    await new Promise<void>((resolve, reject) => {
      secured.once('secure', resolve);
      secured.once('error', reject);
      secured.once('close', () => reject(new Error('the connection closed during the TLS handshake')));
    });
    if (direct && secured.alpnProtocol !== PROTOCOL) {
      secured.destroy();
      throw new Error(`a client that begins with TLS has to name the protocol ${PROTOCOL} (ALPN)`);
    }
    return secured;
  }

  #secureContext(): SecureContext {
    const certificate = this.#provider();
    if (this.#context === undefined || certificate !== this.#certificate) {
      this.#context = createSecureContext({ ...certificate, minVersion: 'TLSv1.2' });
      this.#certificate = certificate;
    }
    return this.#context;
  }
}
