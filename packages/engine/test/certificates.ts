import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority of one's own, in a directory. */
export class Authority {
  readonly #directory: string;
  /** The authority's own certificate. */
  readonly path: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'ca.pem');
    const files = ['-keyout', 'ca.key', '-out', 'ca.pem'];
    this.#openssl('req', '-x509', ...NEW_KEY, '-days', '30', '-subj', '/CN=authority', ...files);
  }

  get certificate(): string {
    return readFileSync(this.path, 'utf8');
  }

  /** Writes `<name>.pem` and `<name>.key` of a server of this machine. */
  issue(name: string, days = 30): { readonly cert: string; readonly key: string } {
    this.#openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(join(this.#directory, `${name}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', String(days)];
    this.#openssl(
      ...['x509', '-req', '-in', `${name}.csr`, ...by],
      ...['-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
    return { cert: join(this.#directory, `${name}.pem`), key: join(this.#directory, `${name}.key`) };
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#directory, stdio: 'pipe' });
  }
}
