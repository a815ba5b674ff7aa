import { randomBytes, timingSafeEqual } from 'node:crypto';
import { TesseraError } from '@tessera/common';
import { hmac, type ScramVerifier, sha256 } from './scram-verifier.ts';

/** The verifier's verdict on the client's final message. */
export interface ScramVerdict {
  readonly proven: boolean;
  /** server-final-message, which must only be sent to a client whose login succeeds. */
  readonly message: string;
}

/** PostgreSQL allows longer authentication messages; valid ones have some hundred bytes. */
const MAX_MESSAGE_LENGTH = 4096;
const NONCE_BYTES = 18;
/** The characters of RFC 5802's `printable`: ASCII without the comma. */
const CLIENT_FIRST = /^([ny]),,(n=[^,\0]*,r=([\x21-\x2b\x2d-\x7e]+))$/;
const CLIENT_FINAL = /^(c=([A-Za-z0-9+/=]+),r=([\x21-\x2b\x2d-\x7e]+)),p=([A-Za-z0-9+/]{43}=)$/;

/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677) without channel binding: the headers `n,,` and `y,,`
 * are accepted. The name in the message is ignored, as in PostgreSQL, because the startup message has named the
 * user.
 */
export class ServerScram {
  readonly #verifier: ScramVerifier;
  readonly #serverNonce: string;
  /** Set between the two messages. */
  #begun: { readonly messages: string; readonly nonce: string; readonly binding: string } | undefined;
  #state: 'new' | 'begun' | 'over' = 'new';

  constructor(verifier: ScramVerifier, serverNonce = randomBytes(NONCE_BYTES).toString('base64')) {
    this.#verifier = verifier;
    this.#serverNonce = serverNonce;
  }

  /** @throws TesseraError UNAUTHENTICATED if it is not a valid client-first-message */
  first(message: string): string {
    if (this.#state !== 'new') throw malformed('it comes twice');
    this.#state = 'over';
    if (message.length > MAX_MESSAGE_LENGTH) throw malformed('it is too long');
    if (message.startsWith('p=')) throw malformed('channel binding is not offered');
    const [, flag, bare, clientNonce] = CLIENT_FIRST.exec(message) ?? [];
    if (flag === undefined || bare === undefined) throw malformed('expected client-first-message');
    const { salt, iterations } = this.#verifier;
    const nonce = `${clientNonce}${this.#serverNonce}`;
    const answer = `r=${nonce},s=${salt.toString('base64')},i=${iterations}`;
    const binding = Buffer.from(`${flag},,`).toString('base64');
    this.#begun = { messages: `${bare},${answer}`, nonce, binding };
    this.#state = 'begun';
    return answer;
  }

  /**
   * Verifies client-final-message, once. @throws TesseraError UNAUTHENTICATED if it does not belong to this
   * exchange
   */
  final(message: string): ScramVerdict {
    const begun = this.#begun;
    if (this.#state !== 'begun' || !begun) throw malformed('it comes out of turn');
    this.#state = 'over';
    if (message.length > MAX_MESSAGE_LENGTH) throw malformed('it is too long');
    const [, withoutProof, binding, nonce, proof] = CLIENT_FINAL.exec(message) ?? [];
    if (withoutProof === undefined || proof === undefined) throw malformed('expected client-final-message');
    if (binding !== begun.binding) throw malformed('the channel binding does not fit');
    if (nonce !== begun.nonce) throw malformed('the nonce does not fit');
    const authMessage = `${begun.messages},${withoutProof}`;
    const { storedKey, serverKey } = this.#verifier;
    const clientKey = xor(Buffer.from(proof, 'base64'), hmac(storedKey, authMessage));
    return {
      proven: timingSafeEqual(sha256(clientKey), storedKey),
      message: `v=${hmac(serverKey, authMessage).toString('base64')}`,
    };
  }
}

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, i) => byte ^ (b[i] ?? 0)));

const malformed = (reason: string): TesseraError =>
  TesseraError.of('UNAUTHENTICATED', { message: `Malformed SCRAM message: ${reason}` });
