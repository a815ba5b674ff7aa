import type { SqlLocation } from '@tessera/common';
import type { SqlText } from '../text/token-cursor.ts';
import type { AccessStatement, ShowGrantsStatement } from './access-statement.ts';
import type { ObjectName, PlacedName } from './object-name.ts';
import type { SettingPairs } from './setting-pairs.ts';

/**
 * Statements that change the catalog or tables. Expressions and queries are texts of the dialect, cut from
 * the statement. Each carries its `offset` there (in UTF-16 units), so that errors can point at the right
 * place.
 */

export interface ColumnDefinition {
  readonly name: string;
  /** The type as the user wrote it. */
  readonly type: SqlText;
  /** The type as the kernel's SQL, in the form of `Column.type`. */
  readonly kernelType: string;
  /** `Column.declared`. */
  readonly declared?: string;
  readonly nullable: boolean;
  readonly default?: SqlText | undefined;
  /** Set if the column takes its values from a sequence of its own. */
  readonly identity?: Identity | undefined;
  readonly location: SqlLocation;
}

/**
 * The action that a foreign key declares for changes of the referenced row. It is recorded but not executed.
 */
export type ForeignKeyAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT';

/** A constraint as written; `name` is absent if the engine has to choose one. */
export type ConstraintDefinition = {
  readonly name: string | undefined;
  readonly location: SqlLocation;
} & (
  | { readonly kind: 'primary_key' | 'unique'; readonly columns: readonly PlacedName[] }
  | {
      readonly kind: 'foreign_key';
      readonly columns: readonly PlacedName[];
      readonly table: ObjectName;
      /** If absent, the primary key of the referenced table. */
      readonly references: readonly PlacedName[] | undefined;
      readonly onUpdate: ForeignKeyAction;
      readonly onDelete: ForeignKeyAction;
    }
  | { readonly kind: 'check'; readonly condition: SqlText }
);
/**
 * How a column numbers its rows. `serial` is written as a type and acts as a default that the user may
 * override.
 */
export interface Identity {
  readonly kind: 'serial' | 'always' | 'by_default';
  readonly options: SequenceOptions;
}

/** The options that the statement gives for a sequence; null resets an option to its default. */
export interface SequenceOptions {
  readonly type?: 'INTEGER' | 'BIGINT';
  readonly increment?: bigint;
  readonly min?: bigint | null;
  readonly max?: bigint | null;
  readonly start?: bigint;
  /** Null restarts at the start value. */
  readonly restart?: bigint | null;
  readonly cache?: bigint;
  readonly cycle?: boolean;
  readonly ownedBy?: ObjectName | null;
}

export interface CreateSequenceStatement {
  readonly kind: 'create_sequence';
  readonly name: ObjectName;
  /** Whether the sequence belongs to the session; its name then has the schema `pg_temp`. */
  readonly isTemporary: boolean;
  readonly ifNotExists: boolean;
  readonly options: SequenceOptions;
}

export interface AlterSequenceStatement {
  readonly kind: 'alter_sequence';
  readonly name: ObjectName;
  readonly ifExists: boolean;
  readonly change: RenameOrOwner | { readonly kind: 'options'; readonly options: SequenceOptions };
}

/** The values of `WITH (k = v)`, `OPTIONS` and `CREDENTIALS = (…)` as texts, by name in lower case. */
export type Options = Readonly<Record<string, string>>;

/** A temporary table; its name has the schema `pg_temp`. */
export interface TemporaryShape {
  /** The ON COMMIT action of the table. */
  readonly onCommit: 'preserve' | 'delete' | 'drop';
}

export interface TableShape {
  readonly tableType: 'FACT' | 'DIMENSION';
  readonly primaryIndex: readonly string[];
  /** The places of the names in `primaryIndex`. */
  readonly primaryIndexLocations: readonly SqlLocation[];
  readonly partitionBy: readonly SqlText[];
  readonly options: Options;
  /** A URL. */
  readonly location?: string | undefined;
  /** The name of a LOCATION object, instead of a URL. */
  readonly locationName?: string | undefined;
}

/** The settings of the suffix `WITH (k = v, …)` that queries and statements with queries may end with. */
interface WithSettings {
  readonly settings?: SettingPairs | undefined;
}

export type CreateStatement =
  | CreateSequenceStatement
  | {
      readonly kind: 'create_database';
      readonly name: string;
      readonly ifNotExists: boolean;
      readonly description?: string | undefined;
    }
  | { readonly kind: 'create_schema'; readonly name: ObjectName; readonly ifNotExists: boolean }
  | {
      readonly kind: 'create_table';
      readonly name: ObjectName;
      readonly orReplace: boolean;
      readonly ifNotExists: boolean;
      readonly columns: readonly ColumnDefinition[];
      readonly constraints: readonly ConstraintDefinition[];
      readonly shape: TableShape;
      readonly temporary?: TemporaryShape;
    }
  | (WithSettings & {
      readonly kind: 'create_table_as';
      readonly name: ObjectName;
      readonly orReplace: boolean;
      readonly ifNotExists: boolean;
      readonly columnNames: readonly string[] | undefined;
      readonly shape: TableShape;
      readonly query: SqlText;
      readonly temporary?: TemporaryShape;
    })
  | {
      readonly kind: 'clone_table';
      readonly name: ObjectName;
      readonly ifNotExists: boolean;
      readonly source: ObjectName;
    }
  | {
      readonly kind: 'create_view';
      readonly name: ObjectName;
      readonly orReplace: boolean;
      readonly ifNotExists: boolean;
      readonly columnNames: readonly string[] | undefined;
      readonly query: SqlText;
    }
  | {
      readonly kind: 'create_external_table';
      readonly name: ObjectName;
      readonly ifNotExists: boolean;
      readonly columns: readonly ColumnDefinition[];
      readonly url: string | undefined;
      readonly locationName: string | undefined;
      readonly objectPattern: string | undefined;
      /** One of `PARQUET`, `CSV`, `TSV`, `JSON` and `AVRO`. */
      readonly format: string;
      readonly options: Options;
      readonly credentials: Options;
    }
  | {
      readonly kind: 'create_location';
      readonly name: string;
      readonly orReplace: boolean;
      readonly ifNotExists: boolean;
      readonly source: 'AMAZON_S3' | 'GOOGLE_CLOUD_STORAGE' | 'AZURE_BLOB_STORAGE' | 'LOCAL';
      readonly url: string;
      readonly description: string | undefined;
      /** All other options that were given. */
      readonly options: Options;
      readonly credentials: Options;
    }
  | {
      readonly kind: 'create_aggregating_index';
      readonly name: ObjectName;
      readonly ifNotExists: boolean;
      readonly table: ObjectName;
      readonly expressions: readonly SqlText[];
    }
  | {
      readonly kind: 'create_skip_index';
      readonly name: ObjectName;
      readonly ifNotExists: boolean;
      readonly table: ObjectName;
      readonly expressions: readonly SqlText[];
      /** Undefined for the type minmax. */
      readonly filter: SkipFilterOptions | undefined;
    };

/** The filters that a skip index stores, as `TableIndex.filter` of the catalog. */
export type SkipFilterOptions =
  | { readonly kind: 'bloom_filter'; readonly falsePositiveRate: string }
  | { readonly kind: 'set'; readonly maxValues: number };

export type AlterStatement =
  | AlterSequenceStatement
  | {
      readonly kind: 'alter_database';
      readonly name: string;
      readonly change:
        | { readonly kind: 'rename'; readonly to: string }
        | { readonly kind: 'owner'; readonly to: string }
        | { readonly kind: 'description'; readonly to: string };
    }
  | {
      readonly kind: 'alter_table';
      readonly table: ObjectName;
      readonly ifExists: boolean;
      /** At least one change. Each applies to the result of the previous ones. */
      readonly changes: readonly TableChange[];
    }
  | {
      readonly kind: 'alter_schema';
      readonly name: ObjectName;
      readonly change: RenameOrOwner;
    }
  | {
      readonly kind: 'alter_view';
      readonly view: ObjectName;
      readonly ifExists: boolean;
      readonly change: RenameOrOwner;
    }
  | {
      readonly kind: 'alter_location';
      readonly name: ObjectName;
      readonly ifExists: boolean;
      readonly change: Extract<RenameOrOwner, { kind: 'owner' }>;
    };

export type RenameOrOwner =
  | { readonly kind: 'rename'; readonly to: string }
  /** A user or role; `current_user` and similar words mean the user who runs the statement. */
  | { readonly kind: 'owner'; readonly to: string };

export type TableChange =
  | {
      readonly kind: 'add_column';
      readonly column: ColumnDefinition;
      readonly constraints: readonly ConstraintDefinition[];
      readonly ifNotExists: boolean;
    }
  | {
      readonly kind: 'drop_column';
      readonly name: string;
      readonly ifExists: boolean;
      readonly cascade: boolean;
      readonly location: SqlLocation;
    }
  | {
      readonly kind: 'rename_column';
      readonly name: string;
      readonly to: string;
      readonly location: SqlLocation;
    }
  | { readonly kind: 'alter_column'; readonly column: PlacedName; readonly change: ColumnChange }
  /** `isValidated`: whether existing rows must satisfy the constraint (false for NOT VALID). */
  | {
      readonly kind: 'add_constraint';
      readonly constraint: ConstraintDefinition;
      readonly isValidated: boolean;
    }
  | {
      readonly kind: 'drop_constraint';
      readonly constraint: PlacedName;
      readonly ifExists: boolean;
      readonly cascade: boolean;
    }
  | { readonly kind: 'rename_constraint'; readonly constraint: PlacedName; readonly to: string }
  | { readonly kind: 'rename'; readonly to: string }
  /** One literal for each partition expression. */
  | { readonly kind: 'drop_partition'; readonly values: readonly SqlText[] }
  | { readonly kind: 'owner'; readonly to: string };

/** `ALTER TABLE … ALTER COLUMN c …`. */
export type ColumnChange =
  | { readonly kind: 'set_default'; readonly default: SqlText }
  | { readonly kind: 'drop_default' }
  | { readonly kind: 'set_not_null' }
  | { readonly kind: 'drop_not_null' }
  | {
      readonly kind: 'type';
      /** The kernel's SQL for the type, fit for `Column.type`. */
      readonly kernelType: string;
      /** `Column.declared`. */
      readonly declared?: string;
      /** The expression that computes the new value of a row. If absent, the old value is cast. */
      readonly using: SqlText | undefined;
    };

export type DropKind = 'database' | 'schema' | 'table' | 'view' | 'sequence' | 'location' | 'index';

export interface DropStatement {
  readonly kind: 'drop';
  readonly object: DropKind;
  readonly name: ObjectName;
  /** Further tables or views of a list; empty for other kinds of objects. */
  readonly others: readonly ObjectName[];
  readonly ifExists: boolean;
  readonly cascade: boolean;
}

export interface SetClause {
  readonly column: string;
  /** Undefined means `DEFAULT`. */
  readonly value: SqlText | undefined;
  /** The column of the query `value` in `SET (a, b) = (query)`; undefined if `value` is an expression. */
  readonly item?: { readonly index: number; readonly of: number };
  readonly location: SqlLocation;
}

export type MergeAction =
  | { readonly kind: 'update'; readonly set: readonly SetClause[] }
  | { readonly kind: 'delete' }
  /** `values` undefined means `DEFAULT VALUES`; an undefined value means `DEFAULT`. */
  | {
      readonly kind: 'insert';
      readonly columns: readonly string[] | undefined;
      readonly columnLocations: readonly SqlLocation[];
      readonly values: readonly (SqlText | undefined)[] | undefined;
    }
  | { readonly kind: 'nothing' };

export interface MergeClause {
  readonly matched: 'matched' | 'not_matched' | 'not_matched_by_source';
  readonly condition?: SqlText | undefined;
  readonly action: MergeAction;
}

/** The common part of INSERT, UPDATE, DELETE and MERGE. */
interface TableChangeBase<K extends string> extends WithSettings {
  readonly kind: K;
  readonly table: ObjectName;
  /** `WITH a AS (…), …` before the statement, including the word WITH. */
  readonly with?: SqlText | undefined;
}

/** The items of RETURNING, each an expression with its alias, if any. */
interface WithReturning {
  readonly returning: readonly SqlText[] | undefined;
}

export interface InsertStatement extends TableChangeBase<'insert'>, WithReturning {
  readonly alias: string | undefined;
  /** The places of the names are in `columnLocations`. */
  readonly columns: readonly string[] | undefined;
  readonly columnLocations: readonly SqlLocation[];
  /**
   * `user` ignores the values given for identity columns; `system` also stores values in columns that are
   * GENERATED ALWAYS.
   */
  readonly overriding: 'user' | 'system' | undefined;
  /** The query may be VALUES, with DEFAULT as an item. Undefined means `DEFAULT VALUES`. */
  readonly query: SqlText | undefined;
  readonly onConflict: ConflictClause | undefined;
}

/** `ON CONFLICT [target] DO …` */
export interface ConflictClause {
  /** The constraint whose conflicts the clause handles. Undefined means any. */
  readonly target:
    | { readonly kind: 'columns'; readonly columns: readonly PlacedName[] }
    | { readonly kind: 'constraint'; readonly constraint: PlacedName }
    | undefined;
  /** Undefined means `DO NOTHING`. */
  readonly update: { readonly set: readonly SetClause[]; readonly where: SqlText | undefined } | undefined;
  readonly location: SqlLocation;
}

export interface UpdateStatement extends TableChangeBase<'update'>, WithReturning {
  readonly alias: string | undefined;
  readonly set: readonly SetClause[];
  readonly from: SqlText | undefined;
  readonly where: SqlText | undefined;
}

export interface DeleteStatement extends TableChangeBase<'delete'>, WithReturning {
  readonly alias: string | undefined;
  readonly using: SqlText | undefined;
  readonly where: SqlText | undefined;
}

export interface MergeStatement extends TableChangeBase<'merge'> {
  readonly alias: string | undefined;
  /** A table or subquery with its alias. */
  readonly using: SqlText;
  readonly on: SqlText;
  readonly clauses: readonly MergeClause[];
}

export type RowChangeStatement = InsertStatement | UpdateStatement | DeleteStatement | MergeStatement;

/**
 * A column of `COPY t (…) FROM` and its source in the file: a position counted from 1, a name, or the
 * column's own name.
 */
export interface CopyColumn {
  readonly name: string;
  readonly source?:
    | { readonly kind: 'position'; readonly index: number }
    | { readonly kind: 'name'; readonly name: string }
    /** `$source_file_name`, `$source_file_timestamp` or `$source_file_size`, without the dollar sign. */
    | { readonly kind: 'virtual'; readonly name: string }
    | undefined;
  readonly default?: SqlText | undefined;
  readonly location: SqlLocation;
}

/** Options of COPY. `type` is the format in upper case, absent if none was given. */
interface CopyBase<K extends string> {
  readonly kind: K;
  readonly url: string | undefined;
  readonly locationName: string | undefined;
  readonly options: Options;
  readonly credentials: Options;
}

export interface CopyFromStatement extends CopyBase<'copy_from'> {
  readonly table: ObjectName;
  readonly columns: readonly string[] | undefined;
  readonly mapping: readonly CopyColumn[] | undefined;
  readonly errorFileCredentials: Options;
}

/** `COPY t (…) FROM STDIN`: rows that the client sends, in a format that it announced before. */
export interface CopyFromStdinStatement {
  readonly kind: 'copy_from_stdin';
  readonly table: ObjectName;
  readonly columns: readonly { readonly name: string; readonly location: SqlLocation }[] | undefined;
}

export interface CopyToStatement extends CopyBase<'copy_to'> {
  /** `COPY t TO` is represented as `FROM t`. */
  readonly query: SqlText;
  /** The columns whose values name the folders of the files; empty if there are no folders. */
  readonly partitionBy: readonly { readonly name: string; readonly location: SqlLocation }[];
}

export type ChangeStatement =
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | MergeStatement
  | {
      readonly kind: 'truncate';
      readonly table: ObjectName;
      /** Whether the sequences of its columns begin again. */
      readonly restartIdentity: boolean;
    }
  | CopyFromStatement
  | CopyFromStdinStatement
  | CopyToStatement;

export type TransactionStatement =
  | { readonly kind: 'begin'; readonly readOnly: boolean }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | SavepointStatement;

export interface SavepointStatement {
  readonly kind: 'savepoint' | 'release_savepoint' | 'rollback_to_savepoint';
  readonly name: string;
}

export interface VacuumStatement {
  readonly kind: 'vacuum';
  readonly table: ObjectName;
  /** `indexes`, `max_concurrency`. */
  readonly options: Options;
}

export interface ShowStatement {
  readonly kind: 'show';
  readonly what:
    | 'tables'
    | 'columns'
    | 'databases'
    | 'schemas'
    | 'indexes'
    | 'views'
    | 'engines'
    | 'users'
    | 'roles'
    | 'locations'
    | 'catalogs'
    | 'queries'
    | 'nodes'
    | 'functions'
    | 'create_table'
    | 'describe';
  /** The table, or the database or schema whose objects are listed. */
  readonly name: ObjectName | undefined;
  /** The pattern of `LIKE`. */
  readonly pattern?: string | undefined;
  /** The query that DESCRIBE describes instead of a table. */
  readonly query?: SqlText | undefined;
}

export type CatalogStatement =
  | CreateStatement
  | AlterStatement
  | DropStatement
  | ChangeStatement
  | TransactionStatement
  | VacuumStatement
  | AccessStatement
  | ShowGrantsStatement
  | ShowStatement;
