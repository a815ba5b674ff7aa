import { quoteName } from '@tessera/kernel';

/** A type as users of the dialect see it. */
export type SqlType =
  /**
   * `postgres`: the type that PostgreSQL clients see instead of `int`, `long`, `text` or `json`. `length`: the
   * declared maximum length in characters, or the declared digits of the seconds.
   */
  | {
      readonly kind: ScalarKind;
      readonly postgres?: 'oid' | 'name' | 'char' | 'int2' | 'varchar' | 'bpchar' | 'jsonb';
      readonly length?: number;
    }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'array'; readonly element: SqlType }
  | { readonly kind: 'struct'; readonly fields: readonly SqlField[] };

export type ScalarKind =
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'text'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'bytea'
  | 'geography'
  | 'json';

export interface SqlField {
  readonly name: string;
  readonly type: SqlType;
}

/** A column of a result. */
export interface OutputColumn {
  readonly name: string;
  readonly type: SqlType;
  /** False only if it is certain that no row holds NULL. */
  readonly nullable: boolean;
  /** Whether the query says that every row holds NULL, so that the type says nothing. */
  readonly isNull?: boolean;
}

/** The name of a column's type in result headers: `int`, `Decimal(38, 9) null`, `array(int null)`. */
export function formatTypeName({ type, nullable }: Pick<OutputColumn, 'type' | 'nullable'>): string {
  return nullable ? `${typeName(type)} null` : typeName(type);
}

function typeName(type: SqlType): string {
  switch (type.kind) {
    case 'decimal':
      return `Decimal(${type.precision}, ${type.scale})`;
    case 'array':
      return `array(${typeName(type.element)} null)`;
    case 'struct':
      return `struct(${type.fields.map((f) => `${fieldName(f.name)} ${typeName(f.type)} null`).join(', ')})`;
    default:
      return type.kind;
  }
}

const fieldName = (name: string) => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : quoteName(name));
