import { TesseraError } from '@tessera/common';
import type { QueryParameter, ValueFormat } from '@tessera/sql';
import type { Outcome } from './outcome.ts';
import type { PreparedStatement } from './prepared-statement.ts';

/** A statement with its parameters, ready to run or on its way. */
export interface Portal {
  readonly name: string;
  readonly statement: PreparedStatement;
  readonly parameters: readonly QueryParameter[];
  /** Of the columns; a cursor's are said by its first FETCH. */
  formats: readonly ValueFormat[] | undefined;
  /** Once it was started. */
  outcome: Outcome | undefined;
  /** Every row was given. */
  ended: boolean;
  /** A cursor WITH HOLD: it stays open when the transaction that declared it is committed. */
  readonly held?: { readonly transactionId: string | undefined };
}

/** The portals of a connection, cursors among them, by name; `''` is the unnamed one. */
export class Portals {
  readonly #portals = new Map<string, Portal>();

  /** @throws TesseraError DUPLICATE_CURSOR; the unnamed one is replaced */
  async add(portal: Portal): Promise<void> {
    if (portal.name === '') await this.close('');
    else if (this.#portals.has(portal.name)) throw TesseraError.of('DUPLICATE_CURSOR', { name: portal.name });
    this.#portals.set(portal.name, portal);
  }

  /** @throws TesseraError UNDEFINED_CURSOR */
  get(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal === undefined) throw TesseraError.of('UNDEFINED_CURSOR', { name });
    return portal;
  }

  async close(name: string): Promise<void> {
    const portal = this.#portals.get(name);
    this.#portals.delete(name);
    if (portal?.outcome?.kind === 'rows') await portal.outcome.rows.close();
  }

  async closeAll(): Promise<void> {
    for (const name of [...this.#portals.keys()]) await this.close(name);
  }

  open(): ReadonlySet<Portal> {
    return new Set(this.#portals.values());
  }

  async closeAllBut(kept: ReadonlySet<Portal>): Promise<void> {
    for (const portal of this.open()) if (!kept.has(portal)) await this.close(portal.name);
  }

  /** Those that end with a transaction, however it ends. */
  async closeUnheld(): Promise<void> {
    for (const { name, held } of [...this.#portals.values()]) if (held === undefined) await this.close(name);
  }

  /** Those that a transaction declared, which was rolled back. */
  async closeDeclaredIn(transactionId: string | undefined): Promise<void> {
    if (transactionId === undefined) return;
    for (const { name, held } of [...this.#portals.values()]) {
      if (held?.transactionId === transactionId) await this.close(name);
    }
  }
}
