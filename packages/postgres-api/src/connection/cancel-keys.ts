import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 4;
const MAX_PROCESS_ID = 2 ** 31 - 1;

/** The secret that a client presents to cancel the running statement of its connection. */
export interface CancelKey {
  readonly processId: number;
  readonly secret: Buffer;
}

/** The connections of a server by the process ids that their clients were given. */
export class CancelKeys {
  readonly #targets = new Map<number, { readonly secret: Buffer; readonly cancel: () => void }>();

  add(cancel: () => void): CancelKey {
    let processId: number;
    do processId = randomInt(1, MAX_PROCESS_ID);
    while (this.#targets.has(processId));
    const secret = randomBytes(SECRET_BYTES);
    this.#targets.set(processId, { secret, cancel });
    return { processId, secret };
  }

  remove({ processId }: CancelKey): void {
    this.#targets.delete(processId);
  }

  /**
   * Cancels the statement of a connection. An invalid key is ignored, so that nobody learns which process ids
   * exist.
   */
  cancel(processId: number, secret: Buffer): void {
    const target = this.#targets.get(processId);
    if (target === undefined || secret.length !== target.secret.length) return;
    if (timingSafeEqual(secret, target.secret)) target.cancel();
  }
}
