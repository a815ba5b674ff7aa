import {
  type ColumnRefNode,
  type Expression,
  type FunctionNode,
  type QueryNode,
  stringLiteral,
  type TypeNode,
} from '../tree.ts';
import { elementsOf, OF_ROWS } from './value-kind.ts';

/** The catalog's `Column.declared` of a column, or of the only column of a query, if it is known. */
export type DeclaredOf = (of: ColumnRefNode | QueryNode) => string | undefined;

/** Whether a type is `jsonb`, which the kernel's parser takes for a type of some user. */
export const isJsonbType = ({ type_info }: TypeNode): boolean =>
  type_info?.type === 'UNBOUND_TYPE_INFO' && /^jsonb$/i.test(type_info.name);

/** Functions whose result is `jsonb`. */
const RETURNS_JSONB: ReadonlySet<string> = new Set([
  'tsr_jsonb',
  'tsr_to_jsonb',
  'tsr_json_checked',
  'tsr_to_jsonb_value',
  'tsr_jsonb_list',
  'tsr_jsonb_object',
  // Subqueries in FROM are asked for the types of their columns before their calls are translated.
  'to_jsonb',
  'jsonb_array_elements',
  'jsonb_build_array',
  'jsonb_build_object',
  'jsonb_extract_path',
  'jsonb_insert',
  'jsonb_path_query',
  'jsonb_path_query_array',
  'jsonb_path_query_first',
  'jsonb_set',
  'jsonb_strip_nulls',
]);

export const returnsJsonb = (name: string): boolean => RETURNS_JSONB.has(name);

/** Functions whose result has the type of their first argument. */
const KEEPS_TYPE: ReadonlySet<string> = new Set([
  'json_extract',
  'tsr_json_at',
  'tsr_json_member',
  'tsr_json_item',
  'tsr_jsonb_item',
  'tsr_json_step',
  'tsr_json_part',
  'tsr_jsonb_part',
  ...['~>', '|>'],
]);

/** Functions that return one of their arguments. */
const CHOOSES: ReadonlySet<string> = new Set(['greatest', 'least', 'nullif']);

/** `-`, `#-` and `||` of a document. */
const CHANGES: ReadonlySet<string> = new Set(['-', '|~', '||']);

/** Whether an expression has the type `jsonb`, as far as its text and the declarations of columns tell. */
export function isJsonb(node: Expression, declaredOf: DeclaredOf): boolean {
  const inner = (child: Expression | undefined) => child !== undefined && isJsonb(child, declaredOf);
  switch (node.class) {
    case 'COLUMN_REF':
      return declaredOf(node) === 'jsonb';
    case 'CAST':
      return isJsonbType(node.cast_type);
    case 'FUNCTION':
      return (
        RETURNS_JSONB.has(node.function_name) ||
        ((keepsType(node) || CHANGES.has(node.function_name)) && inner(node.children[0])) ||
        (node.function_name === '||' && inner(node.children[1])) ||
        (CHOOSES.has(node.function_name) && node.children.some(inner)) ||
        (/^(?:unnest|list_extract)$/.test(node.function_name) &&
          isArrayOfDocuments(node.children[0]!, inner)) ||
        isRowValue(node)
      );
    case 'CASE':
      return inner(node.else_expr) || node.case_checks.some(({ then_expr }) => inner(then_expr));
    case 'OPERATOR':
      if (node.type === 'STRUCT_EXTRACT')
        return isRowValue({ function_name: 'struct_extract', children: node.children });
      if (node.type === 'ARRAY_EXTRACT')
        return inner(node.children[0]) || isArrayOfDocuments(node.children[0]!, inner);
      return node.type === 'OPERATOR_COALESCE' && node.children.some(inner);
    case 'SUBQUERY':
      return node.subquery_type === 'SCALAR' && declaredOf(node.subquery.node) === 'jsonb';
    case 'WINDOW':
      return OF_ROWS.has(node.function_name) && inner(node.children[0]);
    default:
      return false;
  }
}

const isArrayOfDocuments = (node: Expression, isOne: (element: Expression) => boolean): boolean =>
  (node.class === 'FUNCTION' && node.function_name === 'tsr_jsonb_array') ||
  elementsOf(node)?.some(isOne) === true;

/** `unnest(tsr_jsonb_elements(…))` and `struct_extract(unnest(tsr_jsonb_entries(…)), 'value')` */
function isRowValue({
  function_name,
  children: [first, field],
}: Pick<FunctionNode, 'function_name' | 'children'>): boolean {
  if (first?.class !== 'FUNCTION') return false;
  if (first.function_name === 'jsonb_each') return stringLiteral(field!) === 'value';
  if (function_name === 'unnest') return /^tsr_jsonb_(?:elements|held_list)$/.test(first.function_name);
  const [list] = first.children;
  return (
    function_name === 'struct_extract' &&
    first.function_name === 'unnest' &&
    list?.class === 'FUNCTION' &&
    list.function_name === 'tsr_jsonb_entries' &&
    stringLiteral(field!) === 'value'
  );
}

/**
 * Whether comparisons of an expression compare documents. They also do for a part of a document of unknown type, because
 * PostgreSQL compares no `json`.
 */
export const isDocument = (node: Expression, declaredOf: DeclaredOf): boolean =>
  isJsonb(node, declaredOf) || (node.class === 'FUNCTION' && keepsType(node));

const keepsType = ({ function_name }: FunctionNode): boolean => KEEPS_TYPE.has(function_name);
