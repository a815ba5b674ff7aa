import type { ColumnRefNode, Expression, FunctionNode, TypeNode } from '../tree.ts';

/** The catalog's `Column.declared` of a column, if it is known. */
export type DeclaredOf = (ref: ColumnRefNode) => string | undefined;

/** Whether a type is `jsonb`, which the kernel's parser takes for a type of some user. */
export const isJsonbType = ({ type_info }: TypeNode): boolean =>
  type_info?.type === 'UNBOUND_TYPE_INFO' && /^jsonb$/i.test(type_info.name);

/** Functions whose result is `jsonb`. */
const RETURNS_JSONB: ReadonlySet<string> = new Set(['tsr_jsonb', 'tsr_to_jsonb', 'tsr_to_jsonb_value']);
/** Functions whose result has the type of their first argument. */
const KEEPS_TYPE: ReadonlySet<string> = new Set([
  'json_extract',
  'tsr_json_member',
  'tsr_json_item',
  'tsr_json_step',
  ...['~>', '|>'],
]);

/** Whether an expression has the type `jsonb`, as far as its text and the declarations of columns tell. */
export function isJsonb(node: Expression, declaredOf: DeclaredOf): boolean {
  const inner = (child: Expression | undefined) => child !== undefined && isJsonb(child, declaredOf);
  switch (node.class) {
    case 'COLUMN_REF':
      return declaredOf(node) === 'jsonb';
    case 'CAST':
      return isJsonbType(node.cast_type);
    case 'FUNCTION':
      return RETURNS_JSONB.has(node.function_name) || (keepsType(node) && inner(node.children[0]));
    case 'CASE':
      return inner(node.else_expr) || node.case_checks.some(({ then_expr }) => inner(then_expr));
    case 'OPERATOR':
      return node.type === 'OPERATOR_COALESCE' && node.children.some(inner);
    default:
      return false;
  }
}

/**
 * Whether comparisons of an expression compare documents. They also do for a part of a document of unknown type, because
 * PostgreSQL compares no `json`.
 */
export const isDocument = (node: Expression, declaredOf: DeclaredOf): boolean =>
  isJsonb(node, declaredOf) || (node.class === 'FUNCTION' && keepsType(node));

const keepsType = ({ function_name }: FunctionNode): boolean => KEEPS_TYPE.has(function_name);
