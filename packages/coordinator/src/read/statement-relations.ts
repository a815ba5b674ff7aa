import type { ExternalTableObject, RelationObject, Snapshot, TableObject } from '@tessera/catalog';
import { type KernelColumn, type KernelSession, quoteName, typeToSql } from '@tessera/kernel';
import type {
  RelationName,
  RelationResolver,
  ResolvedRelation,
  StorageLocation,
  TableRelation,
} from '@tessera/sql';
import {
  DEFAULT_SCHEMA,
  INFORMATION_SCHEMA,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchema,
} from '../catalog/names.ts';
import type { StatementSnapshot } from '../transactions.ts';
import type { BoundTable, NamedRelation } from './binding.ts';
import { externalCall } from './external-call.ts';
import { type MirrorTables, type MirrorUse, plannedRows } from './mirror-tables.ts';

export interface StatementRelationsOptions {
  readonly mirror: MirrorTables;
  readonly timeZone: string;
  readonly snapshot: () => Promise<StatementSnapshot>;
  /** The table that stands first in the statement shows the positions of its rows. */
  readonly firstWithPositions: boolean;
  /**
   * Makes a temp table of the statement's session that holds a view of information_schema; its name, undefined where
   * there is no such view.
   */
  readonly systemRelation: (
    name: string,
    database: string,
    snapshot: Snapshot,
  ) => Promise<string | undefined>;
}

/** The catalog for one statement, at one snapshot, and the mirror's tables for what the statement names. */
export class StatementRelations implements RelationResolver, AsyncDisposable {
  readonly #options: StatementRelationsOptions;
  /** Names in the statement and in its views, and what they stood for. */
  readonly named: NamedRelation[] = [];
  /** By bound name. */
  readonly tables = new Map<string, BoundTable>();
  /** Whether what was resolved holds for this statement only. */
  transient = false;
  #snapshot: Promise<StatementSnapshot> | undefined;
  #session: KernelSession | undefined;
  #uses: MirrorUse[] = [];
  /** Views of information_schema that are made already. */
  readonly #system = new Map<string, string>();
  #empties = 0;

  constructor(options: StatementRelationsOptions) {
    this.#options = options;
  }

  /** The one snapshot of the statement. */
  async snapshot(): Promise<Snapshot> {
    this.#snapshot ??= this.#options.snapshot();
    return (await this.#snapshot).snapshot;
  }

  async resolve(
    name: RelationName,
    database: string,
    isDirect: boolean,
  ): Promise<ResolvedRelation | undefined> {
    const snapshot = await this.snapshot();
    const owner = requireDatabase(snapshot, name.database ?? database, name.location);
    const schemaName = name.schema ?? DEFAULT_SCHEMA;
    if (schemaName === INFORMATION_SCHEMA) return this.#systemRelation(name.name, owner.name, snapshot);
    const object = findRelation(snapshot, name, database);
    if (object === undefined) {
      if (isFileName(name.name)) return undefined;
      const schema = requireSchema(snapshot, owner, schemaName, name.location);
      const { location = NOWHERE } = name;
      return requireRelation(snapshot, { database: owner, schema, name: name.name, location }) as never;
    }
    this.named.push({ name, database, object, isDirect });
    switch (object.kind) {
      case 'table':
        return this.#table(object);
      case 'view':
        return { ...object, kind: 'view', columnNames: object.columnNames };
      case 'external_table':
        return this.#external(object);
    }
  }

  async location(name: string, database: string): Promise<StorageLocation> {
    this.transient = true;
    return requireLocation(await this.snapshot(), database, name);
  }

  async binder(): Promise<KernelSession> {
    this.#session ??= await this.#options.mirror.session(this.#options.timeZone);
    return this.#session;
  }

  async emptyRelation(columns: readonly KernelColumn[]): Promise<string> {
    const session = await this.binder();
    const name = `empty_${this.#empties++}`;
    const list = columns.map((c) => `${quoteName(c.name)} ${typeToSql(c.type)}`);
    await session.execute(`CREATE TEMP TABLE ${name} (${list.join(', ')})`);
    return name;
  }

  /** The binder is not needed any more; the snapshot stays. */
  async unbind(): Promise<void> {
    for (const use of this.#uses.splice(0)) use.release();
    await this.#session?.close();
    this.#session = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unbind();
    const snapshot = await this.#snapshot?.catch(() => undefined);
    snapshot?.release();
    this.#snapshot = undefined;
  }

  async #table(table: TableObject): Promise<TableRelation> {
    const rowPositions = this.#options.firstWithPositions && this.named.length === 1;
    const rows = plannedRows(await this.snapshot(), table);
    const use = await this.#options.mirror.use(await this.binder(), { table, rowPositions, rows });
    this.#uses.push(use);
    this.tables.set(use.name, { table, rowPositions, plannedRows: rows });
    return { kind: 'table', boundName: use.name, columns: table.columns };
  }

  async #systemRelation(
    name: string,
    database: string,
    snapshot: Snapshot,
  ): Promise<ResolvedRelation | undefined> {
    this.transient = true;
    const key = `${database}.${name}`;
    const made = this.#system.get(key) ?? (await this.#options.systemRelation(name, database, snapshot));
    if (made === undefined) return undefined;
    this.#system.set(key, made);
    return { kind: 'temporary', name: made };
  }

  async #external(object: ExternalTableObject): Promise<ResolvedRelation> {
    this.transient = true;
    const location =
      object.locationId === undefined ? undefined : (await this.snapshot()).object(object.locationId);
    return {
      kind: 'files',
      call: externalCall(object, location?.kind === 'location' ? location : undefined),
      columns: object.columns,
    };
  }
}

/** The relation that a name stands for in a snapshot, if any. */
export function findRelation(
  snapshot: Snapshot,
  name: Pick<RelationName, 'database' | 'schema' | 'name'>,
  database: string,
): RelationObject | undefined {
  const owner = snapshot.database(name.database ?? database);
  const schema = owner && snapshot.schema(owner.id, name.schema ?? DEFAULT_SCHEMA);
  return schema && snapshot.relation(schema.id, name.name);
}

const isFileName = (name: string): boolean => /:\/\/|[/\\]|\.\w+$/.test(name);

/** A name without a place in the text. */
const NOWHERE = { line: 1, startColumn: 1, endColumn: 1 };
