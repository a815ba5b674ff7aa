import type { Privilege } from './privileges.ts';

/** The content of the catalog: named objects and the tablets of tables. All of it is immutable data. */

/** A ULID; never used twice. */
export type ObjectId = string & { readonly __brand: 'ObjectId' };
/** A ULID; never used twice, also not by a tablet that was never committed. */
export type TabletId = string & { readonly __brand: 'TabletId' };

/** A privilege that a user or role has on the object which holds this; on the engine where a user or role holds it. */
export interface Grant {
  readonly privilege: Privilege;
  /** User or role; may be dropped since, ids are never used again. On a user or role: that one itself. */
  readonly grantee: ObjectId;
  /** Whether the grantee may grant it to others. */
  readonly grantable: boolean;
  /** Name of who granted it. */
  readonly grantor: string;
}

interface ObjectBase<K extends string> {
  readonly kind: K;
  readonly id: ObjectId;
  /** The name as users write it, folded to lower case unless it was quoted. */
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly alteredAt: string;
  /** Name of a user or role. */
  readonly owner: string;
  readonly description?: string;
  /** Absent: the owner alone has rights. */
  readonly grants?: readonly Grant[];
}

export interface DatabaseObject extends ObjectBase<'database'> {}

export interface SchemaObject extends ObjectBase<'schema'> {
  readonly databaseId: ObjectId;
  /** The process whose session keeps its temporary tables here; absent: a schema that stays. */
  readonly temporaryOf?: NodeProcess;
}

/** One process of a node. */
export interface NodeProcess {
  /** `engine.id`. */
  readonly engine: string;
  readonly node: string;
  /** Unique among all processes that ever were; made when the process starts. */
  readonly process: string;
}

export interface Column {
  /** Unique in its table, never used again after the column is dropped. */
  readonly id: number;
  readonly name: string;
  /** The column's name inside tablet bodies; unique in the table for ever, so that a rename moves no data. */
  readonly storedName: string;
  /** The kernel's SQL for the type: `BIGINT`, `DECIMAL(38,9)`, `STRUCT(a INTEGER)[]`, `JSON`. */
  readonly type: string;
  /**
   * The type that clients are shown where it says more than `type` does, as PostgreSQL writes it: `character varying(20)`,
   * `character(3)`, `smallint`. It bounds nothing.
   */
  readonly declared?: string;
  readonly nullable: boolean;
  /** An expression of the dialect, as the user wrote it. */
  readonly defaultSql?: string;
  /**
   * The value in rows that were written before the column was added: a constant as SQL of the kernel; absent means
   * NULL.
   */
  readonly initialSql?: string;
  /**
   * Its default is the next value of the sequence that it owns: `always` refuses other values, `by_default` takes them.
   * Absent: an ordinary column, or one of type SERIAL.
   */
  readonly identity?: 'always' | 'by_default';
  /** The `schemaVersion` of the first tablets that store the column. */
  readonly since: number;
}

export interface TableObject extends ObjectBase<'table'> {
  readonly schemaId: ObjectId;
  readonly tableType: 'FACT' | 'DIMENSION';
  readonly columns: readonly Column[];
  /** Ids of the columns that tablets are sorted by, in order. */
  readonly primaryIndex: readonly number[];
  /** Expressions of the dialect, as the user wrote them. A tablet holds the rows of one value of them. */
  readonly partitionBy: readonly string[];
  /** Rows of a granule. */
  readonly indexGranularity: number;
  /** Grows when columns are added or dropped. */
  readonly schemaVersion: number;
  readonly nextColumnId: number;
  /** The location of the tablets if it is not the managed bucket (`storage.enable_managed_location`). */
  readonly location?: string;
  /** The LOCATION object with the credentials of `location`. Absent: the identity of the engine opens it. */
  readonly locationId?: ObjectId;
  /** The statement's own text, for `ddl` of information_schema. */
  readonly indexes: readonly TableIndex[];
  /** Absent: none. */
  readonly constraints?: readonly TableConstraint[];
}

/** CHECK is enforced for every row that is written; the others are recorded, so that clients can read them. */
export type TableConstraint =
  | KeyConstraint<'primary_key'>
  | KeyConstraint<'unique'>
  | ForeignKeyConstraint
  | CheckConstraint;

export interface KeyConstraint<K extends 'primary_key' | 'unique' = 'primary_key' | 'unique'> {
  readonly kind: K;
  /** Unique in the table, as the names of all its constraints. */
  readonly name: string;
  /** `Column.id`. */
  readonly columns: readonly number[];
}

export interface ForeignKeyConstraint {
  readonly kind: 'foreign_key';
  readonly name: string;
  /** `Column.id`. */
  readonly columns: readonly number[];
  readonly table: ObjectId;
  /** `Column.id` in `table`, one for each of `columns`. */
  readonly references: readonly number[];
  readonly onUpdate: ForeignKeyAction;
  readonly onDelete: ForeignKeyAction;
}

export const FOREIGN_KEY_ACTIONS = ['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'] as const;
export type ForeignKeyAction = (typeof FOREIGN_KEY_ACTIONS)[number];

export interface CheckConstraint {
  readonly kind: 'check';
  readonly name: string;
  /** A condition of the dialect over columns of the table, as the user wrote it; a row is refused where it is false. */
  readonly sql: string;
}

export interface TableIndex {
  readonly name: string;
  readonly kind: 'aggregating' | 'skip';
  /** The expressions as the user wrote them. */
  readonly expressions: readonly string[];
  readonly createdAt: string;
  /**
   * The stored part of the index. Absent for skip indexes of the type minmax, whose minima and maxima every tablet has, and
   * for aggregating indexes of earlier versions.
   */
  readonly partials?: IndexPartials;
  /** The kind of filter that a skip index stores; present together with `partials`. */
  readonly filter?: SkipFilter;
}

/** The filter that a skip index stores for each column and granule. */
export type SkipFilter =
  | {
      readonly kind: 'bloom_filter';
      /** The fraction of granules that are read although they do not have the value, as decimal text between 0 and 1. */
      readonly falsePositiveRate: string;
    }
  /** All values of the granule, if it has no more than `maxValues`. */
  | { readonly kind: 'set'; readonly maxValues: number };

/**
 * The stored part of an index: for each tablet of the table, rows in a tablet of their own (`Tablet.partialOf`). An aggregating
 * index stores one row per group of the tablet's rows, a skip index one row per granule. A tablet of the table may have none: its
 * own rows are then read.
 */
export interface IndexPartials {
  /** Identifies the contents, as a table's id does; it is in no namespace. */
  readonly id: ObjectId;
  /** The columns of these rows. */
  readonly columns: readonly Column[];
}

export interface ViewObject extends ObjectBase<'view'> {
  readonly schemaId: ObjectId;
  /** The query, as the user wrote it. */
  readonly sql: string;
  readonly columnNames?: readonly string[];
  /** The database that unqualified names in `sql` belong to. */
  readonly database: string;
  /** Relations that `sql` names itself, not through other views: they cannot be dropped alone. */
  readonly references?: readonly ObjectId[];
}

export interface ExternalTableObject extends ObjectBase<'external_table'> {
  readonly schemaId: ObjectId;
  readonly columns: readonly Column[];
  readonly url: string;
  readonly objectPattern?: string;
  readonly format: 'PARQUET' | 'CSV' | 'TSV' | 'JSON' | 'AVRO';
  readonly options: Readonly<Record<string, string>>;
  readonly locationId?: ObjectId;
}

export interface LocationObject extends ObjectBase<'location'> {
  readonly databaseId: ObjectId;
  readonly source: 'AMAZON_S3' | 'GOOGLE_CLOUD_STORAGE' | 'AZURE_BLOB_STORAGE' | 'LOCAL';
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** The verifiers of a password; the password itself is not stored anywhere. */
export interface Credential {
  /** ULID, a new one with every change of the password: tokens name it, so that a change ends them. */
  readonly id: string;
  /** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  readonly passwordHash: string;
  /** The SCRAM verifier in PostgreSQL's format: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`. */
  readonly scramVerifier: string;
}

/** Gives a user or role the privileges of a role. */
export interface Membership {
  readonly role: ObjectId;
  /** Whether the member may make others members. */
  readonly admin: boolean;
  /** Name of who granted it. */
  readonly grantor: string;
}

export interface UserObject extends ObjectBase<'user'> {
  /** Absent: no password opens the account. */
  readonly credential?: Credential;
  /** False: cannot log in, and its tokens are refused. */
  readonly enabled: boolean;
  readonly memberOf: readonly Membership[];
  readonly defaultDatabase?: string;
}

export interface RoleObject extends ObjectBase<'role'> {
  readonly memberOf: readonly Membership[];
}

/** Users and roles share one namespace, of the whole catalog. */
export type PrincipalObject = UserObject | RoleObject;

/** Counts. All numbers are decimal integers as text, of up to 64 bits. */
export interface SequenceObject extends ObjectBase<'sequence'> {
  readonly schemaId: ObjectId;
  readonly type: 'INTEGER' | 'BIGINT';
  readonly start: string;
  /** Never 0. */
  readonly increment: string;
  readonly min: string;
  readonly max: string;
  readonly cycle: boolean;
  /** The minimum number of values that a node reserves at a time. */
  readonly cache: number;
  /** The first value that no node has reserved; beyond `min` or `max` when there is none left. */
  readonly next: string;
  /** ULID, a new one whenever the sequence is set to another value: what nodes reserved before is given up then. */
  readonly generation: string;
  /** The column whose values it makes: it is dropped with that. */
  readonly ownedBy?: { readonly tableId: ObjectId; readonly columnId: number };
}

/** Tables, views and external tables share one namespace in their schema, with its sequences. */
export type RelationObject = TableObject | ViewObject | ExternalTableObject;
export type CatalogObject =
  | DatabaseObject
  | SchemaObject
  | RelationObject
  | SequenceObject
  | LocationObject
  | PrincipalObject;

export interface ColumnStatistics {
  /** `Column.id`. */
  readonly column: number;
  /**
   * The kernel's VARCHAR of the smallest and largest value; absent when every value is NULL or the type has no order that
   * pruning knows (`orderOf` of the tablet package). Text is cut to 64 bytes: `min` downwards, `max` upwards (absent where it cannot be).
   */
  readonly min?: string;
  readonly max?: string;
  readonly nulls: number;
  /**
   * The number of distinct values in the granule that has the most of them; of a granule that is not encoded with a dictionary, the
   * number of its values. Absent for tablets of earlier versions and for nested types.
   */
  readonly distinct?: number;
}

/** `wide`: column chunks are fetched one by one. `compact`: the object is fetched whole. `subcompact`: the body is in the log. */
export type TabletLayout = 'wide' | 'compact' | 'subcompact';

/** The properties of a tablet that planning needs without opening it. */
export interface Tablet {
  readonly id: TabletId;
  readonly tableId: ObjectId;
  /** The schema version of the table when the tablet was written, which determines the columns that it stores. */
  readonly schemaVersion: number;
  readonly layout: TabletLayout;
  /** Key in the managed store, absent for `subcompact`; a full URL for tables with a location. */
  readonly key?: string;
  /** `key` belongs to another tablet as well (of a cloned table): the object is garbage when all are removed. */
  readonly sharesKey?: true;
  /** The body, base64 of the Parquet file; only `subcompact`. */
  readonly inline?: string;
  readonly rows: number;
  /** The size of the object, or of the inline body. */
  readonly bytes: number;
  readonly uncompressedBytes: number;
  readonly granules: number;
  /** The offset of the Hybrid Header; it ends at `footerOffset`, where the Parquet footer begins. */
  readonly headerOffset: number;
  readonly footerOffset: number;
  /** CRC-32C of the bytes from `headerOffset` to the end of the object. */
  readonly tailCrc32c: number;
  /** The kernel's VARCHAR of each partition expression's value; empty without PARTITION BY. */
  readonly partition: readonly (string | null)[];
  readonly statistics: readonly ColumnStatistics[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Present for tablets of an index, whose `tableId` is the id of the index's partials. */
  readonly partialOf?: PartialOf;
}

/** The tablet whose rows a tablet of an index summarises. */
export interface PartialOf {
  readonly tableId: ObjectId;
  readonly tabletId: TabletId;
  /**
   * The number of deleted rows that the partial rows leave out; with any other number, they are not valid. Absent for skip
   * indexes: their filters stay true when rows are deleted.
   */
  readonly deletedRows?: number;
}

/** The deleted rows of a tablet. */
export interface DeletionVector {
  readonly tabletId: TabletId;
  readonly tableId: ObjectId;
  /** Number of deleted rows. */
  readonly rows: number;
  /** Base64 of a roaring bitmap (portable format) of row positions in the body; absent when `key` is there. */
  readonly inline?: string;
  /** The key of the object that holds the bitmap. */
  readonly key?: string;
  /** `key` belongs to another vector as well. */
  readonly sharesKey?: true;
}
