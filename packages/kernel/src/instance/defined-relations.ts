import koffi, { type TypeObject } from 'koffi';
import type { NativeConnection } from '../native/connection.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, NO_RELEASE, takeString } from '../native/library.ts';
import { slotOf } from '../native/memory.ts';
import { NativeError } from '../native/native-error.ts';
import { NativeStatement } from '../native/statement.ts';
import { RELATION_FUNCTION } from '../relation-function.ts';
import { quoteName } from '../types/quoting.ts';
import { registerTableFunction } from './table-function.ts';

const BIND: TypeObject = koffi.proto('void tessera_bind(void *info)');
const REPLACE: TypeObject = koffi.proto('void tessera_replace(void *info, const char *name, void *data)');

export interface RelationColumn {
  readonly name: string;
  /** The type as SQL. */
  readonly type: string;
}

interface DefinedRelation {
  readonly columns: readonly { readonly name: string; readonly type: Pointer }[];
  readonly rows: number;
}

/**
 * Relations that statements can be bound and planned over. They have columns and a row count for the
 * optimiser, but return no rows. A statement finds them by name in any schema, unless a table of that name
 * exists.
 * The kernel asks for them while it binds, on a thread that waits for the event loop, so nothing here may
 * wait for the kernel.
 */
export class DefinedRelations {
  readonly #relations = new Map<string, DefinedRelation>();

  /** Must be called before other connections are made. */
  install(database: Pointer, connection: NativeConnection): void {
    registerTableFunction(connection, RELATION_FUNCTION, {
      bind: koffi.register((info: Pointer) => this.#bind(info), pointerTo(BIND)),
      // Only called if such a statement runs. The relation has no rows: nothing is prepared, and an untouched
      // chunk means the end.
      init: NO_RELEASE,
      scan: NO_RELEASE,
      pushesProjections: true,
    });
    const replace = (info: Pointer, table: string) => this.#replace(info, table);
    duckdb.addReplacementScan(database, koffi.register(replace, pointerTo(REPLACE)), 0n, 0n);
  }

  /** Defines a relation, replacing one of the same name. */
  async define(
    connection: NativeConnection,
    name: string,
    columns: readonly RelationColumn[],
    rows: number,
  ): Promise<void> {
    const items = columns.map((c) => `CAST(NULL AS ${c.type}) AS ${quoteName(c.name)}`);
    const statement = await NativeStatement.prepare(connection, `SELECT ${items.join(', ')}`);
    const types = columns.map((_, i) => statement.columnType(i));
    statement.destroy();
    this.drop(name);
    this.#relations.set(name, { columns: columns.map((c, i) => ({ name: c.name, type: types[i]! })), rows });
  }

  drop(name: string): void {
    for (const { type } of this.#relations.get(name)?.columns ?? []) duckdb.destroyType(slotOf(type).address);
    this.#relations.delete(name);
  }

  #replace(info: Pointer, name: string): void {
    if (!this.#relations.has(name)) return;
    const value = duckdb.createVarchar(name);
    duckdb.replacementScanSetFunction(info, RELATION_FUNCTION);
    duckdb.replacementScanAddParameter(info, value);
    duckdb.destroyValue(slotOf(value).address);
  }

  #bind(info: Pointer): void {
    const value = duckdb.bindGetParameter(info, 0);
    const name = takeString(duckdb.getVarchar(value));
    duckdb.destroyValue(slotOf(value).address);
    const relation = this.#relations.get(name);
    if (relation === undefined) {
      duckdb.bindSetError(info, `There is no relation ${name}`);
      return;
    }
    for (const column of relation.columns) duckdb.bindAddColumn(info, column.name, column.type);
    duckdb.bindSetCardinality(info, relation.rows, true);
  }
}

const pointerTo = (proto: TypeObject): TypeObject => koffi.pointer(proto);

export const noDefinedRelations = (): NativeError =>
  new NativeError('Invalid Input Error: This kernel has no defined relations');
