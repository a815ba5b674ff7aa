import { call, type Expression } from '../tree.ts';

const WRITES_JSON =
  /^(?:row_to_json|to_jsonb?|array_to_json|jsonb?_(?:agg|object_agg|build_array|build_object))$/;

/**
 * The fields of a row that becomes a document are `f1`, `f2`, …, as in PostgreSQL:
 *     row_to_json(ROW(1, 'a'))   →   row_to_json(struct_pack(f1 := 1, f2 := 'a'))
 */
export function jsonRows(node: Expression): Expression {
  if (node.class !== 'FUNCTION' || !WRITES_JSON.test(node.function_name)) return node;
  return { ...node, children: node.children.map(named) };
}

function named(value: Expression): Expression {
  if (value.class !== 'FUNCTION' || value.function_name !== 'row') return value;
  const fields = value.children.map((field, i) => ({ ...named(field), alias: `f${i + 1}` }));
  return { ...call('struct_pack', ...fields), alias: value.alias, query_location: value.query_location };
}
