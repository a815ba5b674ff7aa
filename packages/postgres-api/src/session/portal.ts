import { TesseraError, type TransactionId } from '@tessera/common';
import type { QueryParameter, ValueFormat } from '@tessera/sql';
import type { Outcome } from './outcome.ts';
import type { PreparedStatement } from './prepared-statement.ts';

/** A statement with its parameters, ready to run or running. */
export interface Portal {
  readonly name: string;
  readonly statement: PreparedStatement;
  readonly parameters: readonly QueryParameter[];
  /** The formats of the columns. For a cursor, the first FETCH decides them. */
  formats: readonly ValueFormat[] | undefined;
  /** Set once the statement has started. */
  outcome: Outcome | undefined;
  /** Whether all rows have been returned. */
  ended: boolean;
  /** Set for a cursor WITH HOLD, which stays open when the transaction that declared it commits. */
  readonly held?: { readonly transactionId: TransactionId | undefined };
}

/** The portals of a connection, including cursors, by name; `''` is the unnamed portal. */
export class Portals {
  readonly #portals = new Map<string, Portal>();

  /** Adds a portal; the unnamed one is replaced. @throws TesseraError DUPLICATE_CURSOR */
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

  /** Closes the portals that end with any transaction. */
  async closeUnheld(): Promise<void> {
    for (const { name, held } of [...this.#portals.values()]) if (held === undefined) await this.close(name);
  }

  /** Closes the portals that a rolled-back transaction declared. */
  async closeDeclaredIn(transactionId: TransactionId | undefined): Promise<void> {
    if (transactionId === undefined) return;
    for (const { name, held } of [...this.#portals.values()]) {
      if (held?.transactionId === transactionId) await this.close(name);
    }
  }
}
