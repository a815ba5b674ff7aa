import { fail } from '@tessera/common';
import { nameColumns, postgresName } from '../functions/column-names.ts';
import { isNullLiteral, kernelCall, literalText, operatorCall } from '../functions/expressions.ts';
import { nullResult } from '../functions/null-results.ts';
import type { FunctionContext } from '../functions/types.ts';
import {
  type CastNode,
  call,
  caseOf,
  comparison,
  constant,
  type Expression,
  type FunctionNode,
  operator,
  type ParameterNode,
  type QueryNode,
  type Statement,
  stringLiteral,
  type TableRef,
  type TypeNode,
  transformTree,
  walkTree,
} from '../tree.ts';
import { arrayLiteral, unnestedArray, unnestedLiteral } from './array-literals.ts';
import { isCatalogCall, postgresFunction } from './catalog-calls.ts';
import { REG_TYPES, type RegType, regName, regValue } from './reg-types.ts';
import { isSystemColumn, nameSystemColumns, systemColumns } from './system-columns.ts';
import { catalogTable } from './table-functions.ts';

/** Columns of type int2vector and oidvector, whose subscripts begin at 0. */
const VECTORS = new Set(['indkey', 'indoption', 'indclass', 'indcollation', 'proargtypes', 'partattrs']);

/** Columns of type regproc, whose text is the name of the function. */
const ROUTINES = new Set([
  ...[
    'typinput',
    'typoutput',
    'typreceive',
    'typsend',
    'typmodin',
    'typmodout',
    'typanalyze',
    'typsubscript',
  ],
  ...['amhandler', 'oprcode', 'oprrest', 'oprjoin', 'prosupport'],
]);

const isVector = (node: Expression | undefined): boolean =>
  node?.class === 'COLUMN_REF' && VECTORS.has(node.column_names.at(-1)!);

/**
 * Rewrites expressions over vectors. The kernel has them as lists, whose subscripts begin at 1 and whose text
 * contains commas:
 *     i.indkey[0]                          becomes   i.indkey[0 + 1]
 *     generate_subscripts(i.indkey, 1)     becomes   generate_subscripts(i.indkey, 1) - 1
 *     i.indkey::varchar                    becomes   array_to_string(i.indkey, ' ')
 */
function vectorForm(node: Expression): Expression {
  if (node.class === 'OPERATOR' && node.type === 'ARRAY_EXTRACT' && isVector(node.children[0])) {
    const [vector, index] = node.children as [Expression, Expression];
    return operator('ARRAY_EXTRACT', vector, operatorCall('+', index, constant(1)));
  }
  if (node.class === 'CAST' && node.cast_type.id === 'VARCHAR' && isVector(node.child)) {
    return vectorText(node.child);
  }
  if (node.class !== 'FUNCTION' || node.function_name !== 'generate_subscripts') return node;
  return isVector(node.children[0]) ? operatorCall('-', { ...node, alias: '' }, constant(1)) : node;
}

/** The text of a vector as PostgreSQL writes it: `1 2`. */
const vectorText = (vector: Expression): Expression =>
  kernelCall('array_to_string', { ...vector, alias: '' }, constant(' '));

/**
 * Translates what PostgreSQL's clients write to read the catalog into the dialect: functions of `pg_catalog`,
 * casts to `regclass` and similar types, `'{a,b}'::text[]`, vectors whose subscripts begin at 0. Other
 * statements are returned unchanged.
 * @param parameter the replacement of a parameter
 * @throws TesseraError UNDEFINED_FUNCTION for a wrong number of arguments
 */
export function postgresForms(
  statement: Statement,
  context: FunctionContext,
  parameter: (node: ParameterNode) => Expression,
): Statement {
  if (!hasPostgresForms(statement)) return statement;
  const named = transformTree(statement, {
    queryNode: (node) => nameSystemColumns(nameColumns(node, postgresName)),
  });
  return new Forms(context, named, parameter).rewrite(named);
}

function hasPostgresForms(statement: Statement): boolean {
  let found = false;
  walkTree(statement, (node) => {
    found ||= 'class' in node ? isForm(node) : node.type === 'TABLE_FUNCTION' && isCatalogCall(node.function);
  });
  return found;
}

function isForm(node: Expression): boolean {
  switch (node.class) {
    case 'FUNCTION':
      return isCatalogCall(node) || unnestedLiteral(node) !== node;
    case 'CAST':
      return (
        namedType(node.cast_type) !== undefined ||
        namedElement(node.cast_type) !== undefined ||
        vectorForm(node) !== node ||
        arrayLiteral(node) !== node
      );
    case 'COLUMN_REF':
      return isVector(node) || isRoutine(node) || isSystemColumn(node);
    default:
      return vectorForm(node) !== node || anyOfList(node) !== node;
  }
}

/** Functions that take a value of a reg* type by its name. */
const SHOWING =
  /^(?:\|\||concat|concat_ws|format|string_agg|to_jsonb?|jsonb?_(?:agg|object_agg|build_array|build_object))$/;

class Forms {
  readonly #context: FunctionContext;
  /** The expressions that replaced a cast to one of REG_TYPES. */
  readonly #reg = new Map<Expression, RegType>();

  readonly #systemColumn: (node: Expression) => Expression;

  readonly #parameter: (node: ParameterNode) => Expression;

  constructor(
    context: FunctionContext,
    statement: Statement,
    parameter: (node: ParameterNode) => Expression,
  ) {
    this.#context = context;
    this.#parameter = parameter;
    this.#systemColumn = systemColumns(statement);
  }

  rewrite(statement: Statement): Statement {
    const rewritten = transformTree(statement, {
      expression: (node) => this.#expression(node),
      tableRef: (node) => this.#table(node),
      queryNode: (node) => this.#query(node),
    });
    return { ...rewritten, node: withTexts(rewritten.node) };
  }

  #expression(node: Expression): Expression {
    const found = this.#replaced(node);
    if (found === node) return node;
    const placed = { ...found, alias: node.alias, query_location: node.query_location };
    const reg = this.#reg.get(found);
    if (reg !== undefined) this.#reg.set(placed, reg);
    return placed;
  }

  #replaced(node: Expression): Expression {
    switch (node.class) {
      case 'CAST':
        return this.#cast(node);
      case 'FUNCTION':
        return this.#call(node);
      case 'COMPARISON':
        return this.#comparison(node);
      case 'COLUMN_REF':
        return this.#systemColumn(node);
      case 'SUBQUERY':
        return anyOfList(node);
      default:
        return vectorForm(node);
    }
  }

  #cast(node: CastNode): Expression {
    const reg = this.#reg.get(node.child);
    if (reg !== undefined) return isText(node.cast_type) ? regName(reg, node.child) : node;
    const list = namedElement(node.cast_type);
    if (list !== undefined) return this.#listCast(node, list);
    const name = namedType(node.cast_type);
    if (name === undefined) return vectorForm(node) === node ? arrayLiteral(node) : vectorForm(node);
    const type = REG_TYPES[name];
    if (type === undefined) return { ...node, cast_type: { id: KERNEL_TYPES[name]!, type_info: null } };
    const value = regValue(type, node.child, node.try_cast ? 'null' : 'error');
    this.#reg.set(value, type);
    return value;
  }

  /** Casts to a list type: `'{int4,int8}'::regtype[]` as well as a list of OIDs. */
  #listCast(node: CastNode, list: TypeNode): Expression {
    const { type_info } = node.cast_type;
    const name = type_info?.type === 'LIST_TYPE_INFO' ? namedType(type_info.child_type) : undefined;
    const type = REG_TYPES[name ?? ''];
    const literal = arrayLiteral({ ...node, cast_type: textList(list) });
    if (type === undefined || literal.class !== 'CAST' || literal.child.class !== 'FUNCTION') {
      return { ...node, cast_type: list };
    }
    const oids = literal.child.children.map((item) => regValue(type, item, 'error'));
    return { ...node, cast_type: list, child: { ...literal.child, children: oids } };
  }

  /** In `x::regclass = 't'`, the text is a name of that type. */
  #comparison(node: Extract<Expression, { class: 'COMPARISON' }>): Expression {
    const { left, right } = node;
    const [onLeft, onRight] = [this.#reg.get(left), this.#reg.get(right)];
    if (onLeft !== undefined && stringLiteral(right) !== undefined)
      return { ...node, right: regValue(onLeft, right, 'error') };
    if (onRight !== undefined && stringLiteral(left) !== undefined)
      return { ...node, left: regValue(onRight, left, 'error') };
    return node;
  }

  #call(given: FunctionNode): Expression {
    const isShowing = SHOWING.test(given.function_name);
    const node = isShowing ? { ...given, children: given.children.map((one) => this.#shown(one)) } : given;
    if (node.function_name === '||') return node;
    const own = node.schema === 'pg_catalog' ? { ...node, schema: '' } : node;
    const ofVector = vectorForm(own);
    if (ofVector !== own) return ofVector;
    const found = postgresFunction(node);
    if (found === undefined) return unnestedLiteral(own);
    const { arity, rewrite } = found;
    const count = node.children.length;
    if (count < arity[0] || count > arity[1]) {
      fail('UNDEFINED_FUNCTION', {
        message: `${node.function_name} cannot be called with ${count} argument${count === 1 ? '' : 's'}`,
      });
    }
    const args = node.children.map((child) => this.#literal(child));
    return nullResult({ ...node, children: args }) ?? rewrite(args, this.#context);
  }

  /** A parameter, also under casts to text, as its value, unless the statement is prepared for every value. */
  #literal(node: Expression): Expression {
    if (node.class === 'CAST') {
      const child = this.#literal(node.child);
      if (child === node.child) return node;
      const isTextOfText = isText(node.cast_type) && literalText(child) !== undefined;
      return isTextOfText ? { ...child, alias: node.alias } : { ...node, child };
    }
    if (node.class !== 'PARAMETER') return node;
    const value = this.#parameter(node);
    return literalText(value) !== undefined || isNullLiteral(value) ? value : node;
  }

  #table(node: TableRef): TableRef {
    return node.type === 'TABLE_FUNCTION' ? catalogTable(node) : node;
  }

  /** A result column of a reg* type shows the name, not the OID. */
  #query(node: QueryNode): QueryNode {
    if (node.type !== 'SELECT_NODE') return node;
    const items = node.select_list.map((item) => this.#shown(item));
    return items.every((item, i) => item === node.select_list[i]) ? node : { ...node, select_list: items };
  }

  #shown(node: Expression): Expression {
    const reg = this.#reg.get(node);
    if (reg === undefined) return node;
    return {
      ...regName(reg, { ...node, alias: '' }),
      alias: node.alias,
      query_location: node.query_location,
    };
  }
}

/** Vectors are lists within the statement, and functions OIDs; result columns show them in PostgreSQL's text form. */
function withTexts(node: QueryNode): QueryNode {
  if (node.type !== 'SELECT_NODE') return node;
  const items = node.select_list.map((item) => {
    if (item.class !== 'COLUMN_REF' || !(isVector(item) || isRoutine(item))) return item;
    const text = isVector(item) ? vectorText(item) : routineName({ ...item, alias: '' });
    return { ...text, alias: item.alias || item.column_names.at(-1)! };
  });
  return { ...node, select_list: items };
}

const isRoutine = (node: Expression): boolean =>
  node.class === 'COLUMN_REF' && ROUTINES.has(node.column_names.at(-1)!);

/** PostgreSQL writes a dash where there is no function. */
const routineName = (oid: Expression): Expression =>
  caseOf([[comparison('COMPARE_EQUAL', oid, constant(0)), constant('-')]], regName(REG_TYPES.regproc!, oid));

const isText = ({ id }: TypeNode): boolean => id === 'VARCHAR';

/** The kernel's types for types that only PostgreSQL has. */
const KERNEL_TYPES: Readonly<Record<string, string>> = {
  aclitem: 'VARCHAR',
  cardinal_number: 'INTEGER',
  character_data: 'VARCHAR',
  cid: 'BIGINT',
  cstring: 'VARCHAR',
  name: 'VARCHAR',
  pg_node_tree: 'VARCHAR',
  sql_identifier: 'VARCHAR',
  xid: 'BIGINT',
  yes_or_no: 'VARCHAR',
};

/** `regtype[]` as the kernel's list of OIDs. */
function namedElement({ id, type_info }: TypeNode): TypeNode | undefined {
  if (type_info?.type !== 'LIST_TYPE_INFO') return undefined;
  const name = namedType(type_info.child_type);
  if (name === undefined) return undefined;
  return {
    id,
    type_info: { ...type_info, child_type: { id: KERNEL_TYPES[name] ?? 'UINTEGER', type_info: null } },
  };
}

const textList = ({ id, type_info }: TypeNode): TypeNode => ({
  id,
  type_info:
    type_info?.type === 'LIST_TYPE_INFO'
      ? { ...type_info, child_type: { id: 'VARCHAR', type_info: null } }
      : null,
});

function namedType({ type_info }: TypeNode): string | undefined {
  if (type_info?.type !== 'UNBOUND_TYPE_INFO') return undefined;
  const { name, schema } = type_info;
  const isKnown = Object.hasOwn(REG_TYPES, name) || Object.hasOwn(KERNEL_TYPES, name);
  return isKnown && ['', 'pg_catalog', 'information_schema'].includes(schema) ? name : undefined;
}

/**
 * `x = ANY(list)`, which the parser writes as `x = ANY (SELECT unnest(list))` → `tsr_pg_any_equal(list, x)`.
 * The kernel does not support a subquery over columns of both sides in the condition of an outer join, as in
 *     t LEFT JOIN a ON t.oid = a.attrelid AND a.attnum = ANY(t.indkey)
 */
function anyOfList(node: Expression): Expression {
  if (node.class !== 'SUBQUERY' || node.comparison_type !== 'COMPARE_EQUAL' || node.child === null)
    return node;
  const [list] = unnestedArray(node)?.children ?? [];
  return list?.class === 'COLUMN_REF' ? call('tsr_pg_any_equal', list, node.child) : node;
}
