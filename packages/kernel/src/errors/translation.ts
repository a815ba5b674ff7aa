import type { ErrorName } from '@tessera/common';

/** A message of the kernel and the corresponding error in terms of the dialect. */
export interface Translation {
  readonly says: RegExp;
  readonly error: MessageError;
  readonly message: (...groups: string[]) => string;
  readonly resolution?: string;
}

/** Errors whose whole text is a message. */
type MessageError = Extract<
  ErrorName,
  | 'UNDEFINED_NAME'
  | 'UNDEFINED_TABLE'
  | 'UNDEFINED_FUNCTION'
  | 'AMBIGUOUS_NAME'
  | 'BINDING_ERROR'
  | 'GROUPING_ERROR'
  | 'CARDINALITY_VIOLATION'
  | 'CAST_ERROR'
  | 'OUT_OF_RANGE'
  | 'DATETIME_OUT_OF_RANGE'
  | 'INVALID_POWER'
  | 'INVALID_LOGARITHM'
  | 'INVALID_REGULAR_EXPRESSION'
  | 'WINDOWING_ERROR'
  | 'WRONG_OBJECT_TYPE'
  | 'AMBIGUOUS_FUNCTION'
  | 'CANNOT_CAST'
  | 'DATATYPE_MISMATCH'
  | 'DUPLICATE_ALIAS'
  | 'INVALID_DATETIME_FORMAT'
  | 'INVALID_ESCAPE'
  | 'INVALID_NTILE'
  | 'INVALID_SUBSTRING'
  | 'ARRAY_ELEMENT_ERROR'
  | 'INVALID_WIDTH_BUCKET'
  | 'NULL_NOT_ALLOWED'
  | 'SYNTAX_ERROR'
  | 'INVALID_ARGUMENT'
  | 'VALUE_TOO_LARGE'
>;
