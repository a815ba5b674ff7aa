import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export interface IssueOptions {
  readonly days?: number;
  /** The names in the certificate, in the format of `subjectAltName`; by default this machine. */
  readonly names?: string;
}

/** A certificate authority for tests, in a directory. */
export class Authority {
  readonly #directory: string;
  readonly #name: string;
  /** The path of the authority's own certificate. */
  readonly path: string;

  /** @param name the prefix of its files, so that several authorities can share a directory */
  constructor(directory: string, name = 'ca') {
    this.#directory = directory;
    this.#name = name;
    this.path = join(directory, `${name}.pem`);
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    this.#openssl('req', '-x509', ...NEW_KEY, '-days', '30', '-subj', `/CN=${name}`, ...files);
  }

  get certificate(): string {
    return readFileSync(this.path, 'utf8');
  }

  /** Issues a certificate as `<name>.pem` and `<name>.key`. */
  issue(
    name: string,
    { days = 30, names = 'IP:127.0.0.1,DNS:localhost' }: IssueOptions = {},
  ): { readonly cert: string; readonly key: string } {
    this.#openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(join(this.#directory, `${name}.ext`), `subjectAltName=${names}\n`);
    const signer = ['-CA', `${this.#name}.pem`, '-CAkey', `${this.#name}.key`, '-CAcreateserial'];
    this.#openssl(
      ...['x509', '-req', '-in', `${name}.csr`, ...signer, '-days', String(days)],
      ...['-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
    return { cert: join(this.#directory, `${name}.pem`), key: join(this.#directory, `${name}.key`) };
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#directory, stdio: 'pipe' });
  }
}
