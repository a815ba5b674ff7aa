export { kernelBootstrap } from './bootstrap.ts';
export { alterTypeQuery } from './changes/alter-type-query.ts';
export { type ChangeQuery, checkRefused, constraintViolation, nullRefused } from './changes/change-query.ts';
export { type ChangeTarget, storedForm, type TargetColumn } from './changes/change-target.ts';
export { conflictKeys } from './changes/conflict-keys.ts';
export { type ConflictScope, conflictQuery } from './changes/conflict-query.ts';
export { type ConflictRow, conflictRow } from './changes/conflict-row.ts';
export { fits, fittedSql, isWider } from './changes/declared-limits.ts';
export { type InsertQuery, insertQueries, insertQuery } from './changes/insert-query.ts';
export { type MergeRowAction, mergedTwice, mergeQuery } from './changes/merge-query.ts';
export { mergeVisibility } from './changes/merge-visibility.ts';
export { plainValues } from './changes/plain-values.ts';
export { deleteQuery, updateQuery } from './changes/update-query.ts';
export {
  alignedHead,
  alignedTail,
  cellsQuery,
  paddedRowsQuery,
  widthsQuery,
} from './format/aligned-table.ts';
export { copyHeader, copyRowsQuery } from './format/copy-rows.ts';
export { formattedQuery, type RowEncoding, type RowFormat } from './format/formatted-query.ts';
export { postgresInput } from './format/postgres-input.ts';
export { postgresRowsQuery, type ValueFormat, valueFormat } from './format/postgres-rows.ts';
export { writtenRows } from './format/written-rows.ts';
export { DIALECT_FUNCTIONS } from './functions/index.ts';
export { POSTGRES_SETTINGS } from './functions/postgres-settings.ts';
export { LOOKUPS, type Lookup, lookupRelation } from './postgres/lookup.ts';
export {
  NO_PARAMETERS,
  type ParameterDescription,
  parameterDescription,
} from './prepare/describe-parameters.ts';
export type { ParameterType, QueryDescription } from './prepare/describe-query.ts';
export { type IndexShape, indexShape, partialsSql } from './prepare/index-shape.ts';
export { notInvertible, subtractedSql } from './prepare/index-subtraction.ts';
export {
  type DefinitionColumn,
  type KernelExpression,
  kernelExpression,
} from './prepare/kernel-expression.ts';
export { type LiteralSkeleton, literalSkeleton, literalValue } from './prepare/literal-skeleton.ts';
export {
  comparedColumns,
  filledTemplate,
  type LiteralTemplate,
  literalTemplate,
} from './prepare/literal-template.ts';
export { shapeOfIndex } from './prepare/with-indexes.ts';
export { belowLocation } from './reads/below-location.ts';
export { CSV_BUFFER_BYTES, csvColumns, inferredFormats, nullTexts } from './reads/csv-scan.ts';
export {
  credentialsIn,
  formatByName,
  type ReadArguments,
  type StorageLocation,
} from './reads/read-arguments.ts';
export type { ReadCall, ReadFunction, ReadOptions, RelationSource, SourceFile } from './reads/read-call.ts';
export { READ_FUNCTIONS, type ReadOption } from './reads/read-options.ts';
export { WHOLE_JSON } from './reads/scan.ts';
export { INFERRED_ROWS } from './reads/stray-values.ts';
export { requireValidNames } from './reads/valid-names.ts';
export type {
  IndexUse,
  PrepareContext,
  PreparedQuery,
  RunnableQuery,
} from './relations/prepare-context.ts';
export {
  type AggregatingIndex,
  MANAGED_SCHEMA,
  type Mention,
  type PatternColumn,
  type RelationName,
  type RelationResolver,
  type ResolvedRelation,
  type SessionSequences,
  type TableRelation,
} from './relations/relation-resolver.ts';
export { substituteScans } from './relations/scan-substitution.ts';
export { type SequenceResolver, settingOf } from './relations/sequence-calls.ts';
export { genericText, type QueryParameter, withGenericTexts } from './rewrites/parameters.ts';
export { dateIn } from './rewrites/statement-clock.ts';
export type * from './statements/access-statement.ts';
export type * from './statements/catalog-statement.ts';
export { classifyStatement } from './statements/classify.ts';
export { EXTERNAL_TABLE_OPTIONS } from './statements/grammar/file-options.ts';
export { relationOfChange } from './statements/grammar/with-changes.ts';
export type { ObjectName } from './statements/object-name.ts';
export { type QueryPart, queryParts, withParts } from './statements/query-parts.ts';
export type { SettingPairs } from './statements/setting-pairs.ts';
export {
  locationInText,
  type StatementText,
  splitInTurns,
  splitStatements,
  splitWithBackslashes,
} from './statements/split.ts';
export type {
  ExplainableChange,
  ExplainStatement,
  QueryStatement,
  Statement,
  WithChangesStatement,
} from './statements/statement.ts';
export { isReturning } from './statements/statement.ts';
export { isParameter, isWord } from './text/lexer.ts';
export { locateValue } from './text/locate-error.ts';
export { locationAt } from './text/location.ts';
export { namesIn, quoteIdentifier, RESERVED_WORDS } from './text/names.ts';
export { type ArrayText, parseArrayText } from './text/postgres-array.ts';
export { normalizedSql, redactedQuery, redactedSql, redactedUrl } from './text/shown-sql.ts';
export type { SqlText } from './text/token-cursor.ts';
export { TokenCursor } from './text/token-cursor.ts';
export { withoutPasswords } from './text/without-passwords.ts';
export { describeQuery, prepareQuery } from './thread/long-queries.ts';
export { treeSteps } from './tree.ts';
export { checkedCast, TEXT_READERS } from './types/checked-cast.ts';
export { columnType, dialectTypeName, isCountedType, kernelTypeSql } from './types/column-type.ts';
export { declaredAs, shownType } from './types/declared-type.ts';
export { jsonbText } from './types/jsonb-text.ts';
export { outputType } from './types/output-type.ts';
export {
  formatTypeName,
  type OutputColumn,
  type ScalarKind,
  type SqlField,
  type SqlType,
} from './types/sql-type.ts';
