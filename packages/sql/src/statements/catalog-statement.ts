import type { SqlLocation } from '@tessera/common';
import type { AccessStatement, ShowGrantsStatement } from './access-statement.ts';
import type { ObjectName, PlacedName } from './object-name.ts';
import type { SettingPairs } from './setting-pairs.ts';

/**
 * Statements that change the catalog or tables. Expressions and queries are texts of the dialect, cut from the statement,
 * each with its `offset` there (in UTF-16 units), so that errors can point at their place.
 */

export interface SqlText {
  readonly sql: string;
  readonly offset: number;
}

export interface ColumnDefinition {
  readonly name: string;
  /** As the user wrote it. */
  readonly type: SqlText;
  /** The same type as the kernel's SQL, fit for `Column.type`. */
  readonly kernelType: string;
  /** `Column.declared`. */
  readonly declared?: string;
  readonly nullable: boolean;
  readonly default?: SqlText | undefined;
  /** Where the column counts by a sequence of its own. */
  readonly identity?: Identity | undefined;
  readonly location: SqlLocation;
}

/** What a foreign key declares for changes of the referenced row. It is recorded and not executed. */
export type ForeignKeyAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT';

/** A constraint as it is written; `name` is absent where the engine is to choose one. */
export type ConstraintDefinition = {
  readonly name: string | undefined;
  readonly location: SqlLocation;
} & (
  | { readonly kind: 'primary_key' | 'unique'; readonly columns: readonly PlacedName[] }
  | {
      readonly kind: 'foreign_key';
      readonly columns: readonly PlacedName[];
      readonly table: ObjectName;
      /** Absent: the primary key of the referenced table. */
      readonly references: readonly PlacedName[] | undefined;
      readonly onUpdate: ForeignKeyAction;
      readonly onDelete: ForeignKeyAction;
    }
  | { readonly kind: 'check'; readonly condition: SqlText }
);
/** How a column counts; `serial` is a type in the statement, and a default that the user may give another value for. */
export interface Identity {
  readonly kind: 'serial' | 'always' | 'by_default';
  readonly options: SequenceOptions;
}

/** What of a sequence is given; null: what it is without being given. */
export interface SequenceOptions {
  readonly type?: 'INTEGER' | 'BIGINT';
  readonly increment?: bigint;
  readonly min?: bigint | null;
  readonly max?: bigint | null;
  readonly start?: bigint;
  /** Null: with the start. */
  readonly restart?: bigint | null;
  readonly cache?: bigint;
  readonly cycle?: boolean;
  readonly ownedBy?: ObjectName | null;
}

export interface CreateSequenceStatement {
  readonly kind: 'create_sequence';
  readonly name: ObjectName;
  readonly ifNotExists: boolean;
  readonly options: SequenceOptions;
}

export interface AlterSequenceStatement {
  readonly kind: 'alter_sequence';
  readonly name: ObjectName;
  readonly ifExists: boolean;
  readonly change: RenameOrOwner | { readonly kind: 'options'; readonly options: SequenceOptions };
}

/** Values of `WITH (k = v)`, `OPTIONS`, `CREDENTIALS = (…)`: texts; names in lower case. */
export type Options = Readonly<Record<string, string>>;

/** A table of the session; its name has the schema `pg_temp`. */
export interface TemporaryShape {
  /** The ON COMMIT action of the table. */
  readonly onCommit: 'preserve' | 'delete' | 'drop';
}

export interface TableShape {
  readonly tableType: 'FACT' | 'DIMENSION';
  readonly primaryIndex: readonly string[];
  /** Of the names in `primaryIndex`. */
  readonly primaryIndexLocations: readonly SqlLocation[];
  readonly partitionBy: readonly SqlText[];
  readonly options: Options;
  readonly location?: string | undefined;
}

/** Of the suffix `WITH (k = v, …)` that queries and statements with queries may end with. */
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
      /** `PARQUET`, `CSV`, `TSV`, `JSON`, `AVRO`. */
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
      /** What else was given. */
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
      readonly options: Options;
    };

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
      /** At least one; each sees what those before it did. */
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
  /** A user or role; `current_user` and its like: who asks. */
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
  /** `isValidated`: whether the rows that are there must meet it (without NOT VALID). */
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
      /** What a row's new value is computed from; absent: the old value, cast. */
      readonly using: SqlText | undefined;
    };

export type DropKind = 'database' | 'schema' | 'table' | 'view' | 'sequence' | 'location' | 'index';

export interface DropStatement {
  readonly kind: 'drop';
  readonly object: DropKind;
  readonly name: ObjectName;
  /** The tables or views behind the first; none for other kinds of objects. */
  readonly others: readonly ObjectName[];
  readonly ifExists: boolean;
  readonly cascade: boolean;
}

export interface SetClause {
  readonly column: string;
  /** Undefined: `DEFAULT`. */
  readonly value: SqlText | undefined;
  readonly location: SqlLocation;
}

export type MergeAction =
  | { readonly kind: 'update'; readonly set: readonly SetClause[] }
  | { readonly kind: 'delete' }
  /** `values` undefined: `DEFAULT VALUES`; a value undefined: `DEFAULT`. */
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

/** What INSERT, UPDATE, DELETE and MERGE have in common. */
interface TableChangeBase<K extends string> extends WithSettings {
  readonly kind: K;
  readonly table: ObjectName;
  /** `WITH a AS (…), …` in front of the statement, the word WITH included. */
  readonly with?: SqlText | undefined;
}

/** The items of RETURNING, each an expression with its name if it has one. */
interface WithReturning {
  readonly returning: readonly SqlText[] | undefined;
}

export interface InsertStatement extends TableChangeBase<'insert'>, WithReturning {
  readonly alias: string | undefined;
  /** The names' places are `columnLocations`. */
  readonly columns: readonly string[] | undefined;
  readonly columnLocations: readonly SqlLocation[];
  /** `user`: values of identity columns are not looked at; `system`: they are stored in columns of GENERATED ALWAYS too. */
  readonly overriding: 'user' | 'system' | undefined;
  /** May be VALUES, in which an item may be the word DEFAULT; undefined: `DEFAULT VALUES`. */
  readonly query: SqlText | undefined;
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

/** A column of `COPY t (…) FROM` and what of the file goes there: a position from 1, a name, or the column's own name. */
export interface CopyColumn {
  readonly name: string;
  readonly source?:
    | { readonly kind: 'position'; readonly index: number }
    | { readonly kind: 'name'; readonly name: string }
    /** `$source_file_name`, `$source_file_timestamp`, `$source_file_size`; without the dollar sign. */
    | { readonly kind: 'virtual'; readonly name: string }
    | undefined;
  readonly default?: SqlText | undefined;
  readonly location: SqlLocation;
}

/** Options of COPY; `type` is the upper-case format, absent where none was given. */
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

/** `COPY t (…) FROM STDIN`: rows that the client sends, in a format that it told beforehand. */
export interface CopyFromStdinStatement {
  readonly kind: 'copy_from_stdin';
  readonly table: ObjectName;
  readonly columns: readonly { readonly name: string; readonly location: SqlLocation }[] | undefined;
}

export interface CopyToStatement extends CopyBase<'copy_to'> {
  /** `COPY t TO` is `FROM t` here. */
  readonly query: SqlText;
}

export type ChangeStatement =
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | MergeStatement
  | { readonly kind: 'truncate'; readonly table: ObjectName }
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
    | 'create_table'
    | 'describe';
  /** The table, or the database or schema that the list is of. */
  readonly name: ObjectName | undefined;
  /** Of `LIKE`. */
  readonly pattern?: string | undefined;
  /** The query that DESCRIBE is to describe, in the place of a table. */
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
