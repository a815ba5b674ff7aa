import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { hmac, sha256 } from '../passwords/scram-verifier.ts';

const derive = promisify(pbkdf2);

export interface ScramClient {
  readonly password: string;
  /** The gs2 header, such as `n,,`. */
  readonly header: string;
  readonly bare: string;
  readonly serverFirst: string;
}

/** client-final-message (RFC 5802, 3). */
export async function proofOf({ password, header, bare, serverFirst }: ScramClient): Promise<string> {
  const [, nonce, salt, iterations] = /^r=(.*),s=(.*),i=(\d+)$/.exec(serverFirst) ?? [];
  const salted = await derive(password, Buffer.from(salt ?? '', 'base64'), Number(iterations), 32, 'sha256');
  const withoutProof = `c=${Buffer.from(header).toString('base64')},r=${nonce}`;
  const clientKey = hmac(salted, 'Client Key');
  const signature = hmac(sha256(clientKey), `${bare},${serverFirst},${withoutProof}`);
  return `${withoutProof},p=${Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] ?? 0))).toString('base64')}`;
}
