import type { ReadAuthority, ReadMention } from '@tessera/access-control';
import type {
  ExternalTableObject,
  RelationObject,
  Snapshot,
  TableObject,
  ViewObject,
} from '@tessera/catalog';
import {
  DEFAULT_SCHEMA,
  implicitSchema,
  isSystemSchema,
  PG_CATALOG,
  requireDatabase,
  requireLocation,
  requireRelation,
  requireSchemaOf,
} from '@tessera/catalog';
import type { PlannedScan } from '@tessera/file-scan';
import { type KernelColumn, type KernelSession, quoteName, typeToSql } from '@tessera/kernel';
import type {
  AggregatingIndex,
  Mention,
  PatternColumn,
  RelationName,
  RelationResolver,
  ResolvedRelation,
  SessionSequences,
  StorageLocation,
  TableRelation,
} from '@tessera/sql';
import { isPgCatalogRelation } from '@tessera/system-catalog';
import { PARTS_SCHEMA } from '../reuse/kept-parts.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import {
  type BoundFiles,
  type BoundTable,
  type CompiledPatterns,
  fileColumns,
  type IndexChoice,
  type NamedRelation,
} from './bound-query.ts';
import { externalCall } from './external-call.ts';
import { boundFileName } from './file-tables.ts';
import {
  indexCoverage,
  indexReads,
  partialsTable,
  type ReadTable,
  storedIndexes,
  uncoveredTable,
} from './index-coverage.ts';
import { type MirrorTables, type MirrorUse, plannedRows } from './mirror-tables.ts';

/** A text column whose values a query uses as regular expressions. */
export interface PatternSource {
  readonly table: TableObject;
  readonly column: string;
  /** The rows of the largest table in the same FROM: about how often the query uses a pattern. */
  readonly rows: number;
  /** The owner of the view that names the table; undefined if the statement itself does. */
  readonly owner: string | undefined;
}

/** A table of the kernel: a temp table of the session, or one that statements share. */
export interface SystemTable {
  readonly database: 'temp' | 'kept';
  readonly name: string;
}

export interface StatementRelationsOptions {
  readonly mirror: MirrorTables;
  readonly timeZone: string;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
  readonly snapshot: () => Promise<StatementSnapshot>;
  readonly authority: ReadAuthority;
  /** The database of the request. */
  readonly database: string;
  /** Whether the table that stands first in the statement gets row position columns. */
  readonly firstWithPositions: boolean;
  /** Whether queries may read aggregating indexes. */
  readonly usesIndexes: boolean;
  /**
   * Finds or creates a table with the contents of a relation of information_schema or pg_catalog; undefined if there is no
   * such relation.
   */
  readonly systemRelation: (
    name: { readonly schema: string; readonly name: string },
    database: string,
    snapshot: Snapshot,
  ) => Promise<SystemTable | undefined>;
  /** Creates a view of the kept rows of the given part of the statement, and returns the name of the view; undefined if no rows are kept. */
  readonly keptRows?: (name: string) => Promise<string> | undefined;
  /** See `distinctPatterns`. If absent, every pattern of a column stays variable. */
  readonly distinctPatterns?:
    | ((source: PatternSource, snapshot: Snapshot) => Promise<readonly string[]>)
    | undefined;
  /** The files that several nodes may read, by their id in the statement. */
  readonly plannedScan: (scanId: string) => PlannedScan;
}

/**
 * The catalog for one statement at one snapshot, with the mirror's tables for the relations that the
 * statement names.
 */
export class StatementRelations implements RelationResolver, AsyncDisposable {
  readonly #options: StatementRelationsOptions;
  /** The names in the statement and in its views, with their meanings. */
  readonly named: NamedRelation[] = [];
  /** Keyed by bound name. */
  readonly tables = new Map<string, BoundTable>();
  /** Keyed by bound name. */
  readonly files = new Map<string, BoundFiles>();
  /** The aggregating indexes of `tables`. */
  readonly indexes: IndexChoice[] = [];
  /** The columns of `tables` that contain regular expressions of the statement. */
  readonly patterns: CompiledPatterns[] = [];
  /** Whether the resolution is only valid for this statement. */
  transient = false;
  #snapshot: Promise<StatementSnapshot> | undefined;
  #session: KernelSession | undefined;
  #uses: MirrorUse[] = [];
  /** The views whose queries are being resolved, by id. */
  readonly #views = new Map<string, ViewObject>();
  /** The relations of information_schema and pg_catalog that exist already. */
  readonly #system = new Map<string, SystemTable>();
  #empties = 0;
  /** The bound names of file scans, by id. */
  readonly #fileScans = new Map<string, string>();

  constructor(options: StatementRelationsOptions) {
    this.#options = options;
  }

  /** The single snapshot of the statement. */
  async snapshot(): Promise<Snapshot> {
    this.#snapshot ??= this.#options.snapshot();
    return (await this.#snapshot).snapshot;
  }

  async resolve(name: RelationName, mention: Mention): Promise<ResolvedRelation | undefined> {
    const snapshot = await this.snapshot();
    const { authority } = this.#options;
    const { database } = mention;
    const kept = name.schema === PARTS_SCHEMA ? this.#options.keptRows?.(name.name) : undefined;
    if (kept !== undefined) {
      this.transient = true;
      return { kind: 'temporary', database: 'temp', name: await kept, ofSystem: false };
    }
    const owner = requireDatabase(snapshot, name.database ?? database, name.location);
    const inView = mention.view !== undefined;
    const schemaName = schemaOf(snapshot, name, owner.name, inView);
    const read = this.#readMention(mention);
    // Its rows are filtered by visibility; reading that of another database requires USAGE on the database.
    if (owner.name !== this.#options.database) authority.use(snapshot, owner, read);
    const ofSystem = (schema: string) =>
      this.#systemRelation({ schema, name: name.name }, owner.name, snapshot);
    if (isSystemSchema(schemaName)) return ofSystem(schemaName);
    if (findRelation(snapshot, { name, database, inView }) === undefined) {
      if (name.schema === undefined && isPgCatalogRelation(name.name)) return ofSystem(PG_CATALOG);
      if (isFileName(name.name)) return undefined;
    }
    const isVisible = authority.visible(snapshot);
    authority.use(snapshot, owner, read);
    const schema = requireSchemaOf(
      snapshot,
      owner,
      { schema: schemaName, name: name.name, location: name.location },
      isVisible,
    );
    authority.use(snapshot, schema, read);
    const place = { schema, name: name.name, location: name.location };
    const object = requireRelation(snapshot, place, isVisible);
    authority.select(snapshot, object, read);
    this.named.push({ name, database, object, view: read.view });
    switch (object.kind) {
      case 'table':
        return this.#table(object);
      case 'view':
        this.#views.set(object.id, object);
        return { ...object, kind: 'view', columnNames: object.columnNames };
      case 'external_table':
        return this.#external(object);
    }
  }

  async location(name: string, mention: Mention): Promise<StorageLocation> {
    this.transient = true;
    const snapshot = await this.snapshot();
    const { authority } = this.#options;
    const read = this.#readMention(mention);
    authority.use(snapshot, requireDatabase(snapshot, mention.database, mention.location), read);
    const found = requireLocation(snapshot, mention.database, name, authority.visible(snapshot));
    authority.use(snapshot, found, read);
    return found;
  }

  async locationOf(url: string, mention: Mention): Promise<StorageLocation | undefined> {
    this.transient = true;
    const snapshot = await this.snapshot();
    const owner = requireDatabase(snapshot, mention.database, mention.location);
    const isVisible = this.#options.authority.visible(snapshot);
    const found = snapshot
      .locations(owner.id)
      .filter((one) => url.startsWith(one.url.replace(/\/*$/, '/')) && isVisible(one))
      .toSorted((a, b) => b.url.length - a.url.length)[0];
    return found && this.location(found.name, mention);
  }

  async url(mention: Mention): Promise<void> {
    const { authority } = this.#options;
    if (authority.isNeeded) authority.readExternal(await this.snapshot(), this.#readMention(mention));
  }

  #readMention({ view, location }: Mention): ReadMention {
    return { view: view === undefined ? undefined : this.#views.get(view), location };
  }

  async aggregatingIndexes(boundName: string): Promise<readonly AggregatingIndex[]> {
    const bound = this.tables.get(boundName);
    if (bound === undefined || bound.rowPositions || !this.#options.usesIndexes) return [];
    const { table } = bound;
    const snapshot = await this.snapshot();
    const stored = storedIndexes(table).filter(({ kind }) => kind === 'aggregating');
    return stored.map((index): AggregatingIndex => {
      const { name, expressions, partials } = index;
      const coverage = indexCoverage(snapshot, table, partials.id);
      const reads = indexReads(coverage);
      this.indexes.push({ table, partials: partials.id, reads });
      const { partialRows: partial, restRows: rest, tableRows } = coverage;
      return {
        name,
        expressions,
        stored: partials.columns,
        table,
        rows: { partial, rest, table: tableRows },
        use: async () =>
          reads === 'table'
            ? undefined
            : {
                partials: await this.#mirrored(partialsTable(table, index), false),
                rest:
                  reads === 'partials'
                    ? undefined
                    : await this.#mirrored(uncoveredTable(table, partials.id), false),
              },
      };
    });
  }

  async patternsOf({ boundName, column, from }: PatternColumn): Promise<readonly string[]> {
    const { distinctPatterns } = this.#options;
    const { table } = this.tables.get(boundName)!;
    const isText = table.columns.some(({ name, type }) => name === column && type === 'VARCHAR');
    const named = this.named.find(({ object }) => object.id === table.id);
    if (distinctPatterns === undefined || !isText || named === undefined) return [];
    const rows = Math.max(...from.map((name) => this.tables.get(name)?.plannedRows ?? 0));
    const snapshot = await this.snapshot();
    const found = await distinctPatterns({ table, column, rows, owner: named.view?.owner }, snapshot);
    const version = snapshot.contentsVersion(table.id);
    if (found.length > 0) this.patterns.push({ table, column, patterns: found.length, version });
    return found;
  }

  async binder(sequences?: SessionSequences): Promise<KernelSession> {
    const { mirror, timeZone, signal } = this.#options;
    this.#session ??= await mirror.session({ timeZone, signal });
    await sequences?.defineIn(this.#session);
    return this.#session;
  }

  async fileScan(scanId: string, columns: readonly KernelColumn[]): Promise<string> {
    this.transient = true;
    const known = this.#fileScans.get(scanId);
    if (known !== undefined) return known;
    const session = await this.binder();
    const scan = this.#options.plannedScan(scanId);
    const name = boundFileName(scanId);
    const found = fileColumns(columns);
    await session.defineRelation(name, found, scan.rows);
    this.#fileScans.set(scanId, name);
    this.files.set(name, { scan, columns: found });
    return name;
  }

  async emptyRelation(columns: readonly KernelColumn[]): Promise<string> {
    const session = await this.binder();
    const name = `empty_${this.#empties++}`;
    const list = columns.map((c) => `${quoteName(c.name)} ${typeToSql(c.type)}`);
    await session.execute(`CREATE TEMP TABLE ${name} (${list.join(', ')})`);
    return name;
  }

  /** Releases the binder, which is no longer needed; the snapshot stays. */
  async unbind(): Promise<void> {
    for (const use of this.#uses.splice(0)) use.release();
    for (const name of this.#fileScans.values())
      await this.#session?.dropRelation(name).catch(() => undefined);
    this.#fileScans.clear();
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
    const boundName = await this.#mirrored(table, rowPositions);
    const { columns, constraints = [] } = table;
    const key = constraints.find((constraint) => constraint.kind === 'primary_key')?.columns;
    const primaryKey = key && columns.filter(({ id }) => key.includes(id)).map(({ name }) => name);
    return { kind: 'table', boundName, columns, primaryKey };
  }

  /** Makes a table known to the binder and returns its bound name. */
  async #mirrored(table: ReadTable, rowPositions: boolean): Promise<string> {
    const rows = plannedRows(await this.snapshot(), table);
    const use = await this.#options.mirror.use(await this.binder(), { table, rowPositions, rows });
    this.#uses.push(use);
    this.tables.set(use.name, { table, rowPositions, plannedRows: rows });
    return use.name;
  }

  async #systemRelation(
    name: { readonly schema: string; readonly name: string },
    database: string,
    snapshot: Snapshot,
  ): Promise<ResolvedRelation | undefined> {
    this.transient = true;
    const key = JSON.stringify([database, name.schema, name.name]);
    const made = this.#system.get(key) ?? (await this.#options.systemRelation(name, database, snapshot));
    if (made === undefined) return undefined;
    this.#system.set(key, made);
    return { kind: 'temporary', ...made, ofSystem: true };
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

type Name = Pick<RelationName, 'database' | 'schema' | 'name'>;

interface Mentioned {
  readonly name: Name;
  /** The database of unqualified names. */
  readonly database: string;
  /**
   * Whether the query of a view names it: views mean the same in every session, and never a temporary table.
   */
  readonly inView: boolean;
}

const schemaOf = (snapshot: Snapshot, { schema, name }: Name, database: string, inView: boolean): string =>
  schema ?? (inView ? DEFAULT_SCHEMA : implicitSchema(snapshot, database, name));

/** The relation that a name refers to in a snapshot, if any. */
export function findRelation(
  snapshot: Snapshot,
  { name, database, inView }: Mentioned,
): RelationObject | undefined {
  const owner = snapshot.database(name.database ?? database);
  const schema = owner && snapshot.schema(owner.id, schemaOf(snapshot, name, owner.name, inView));
  return schema && snapshot.relation(schema.id, name.name);
}

const isFileName = (name: string): boolean => /:\/\/|[/\\]|\.\w+$/.test(name);
