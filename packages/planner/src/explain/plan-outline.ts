import { byteText } from '../byte-text.ts';
import { managedTable } from '../managed-table.ts';
import { isGet, type PlanExpression, type PlanGet, type PlanOperator } from '../plan-nodes.ts';
import { parsePlan } from '../serialized-plan.ts';
import { expressionText } from './expression-text.ts';
import { scanConditions } from './scan-conditions.ts';

/** A plan for EXPLAIN: each operator with its details. */
export interface PlanOutline {
  readonly operator: string;
  readonly details: Readonly<Record<string, string>>;
  readonly inputs: readonly PlanOutline[];
  /** The stage whose output an exchange reads. */
  readonly stage?: number | undefined;
  readonly estimatedRows?: number | undefined;
  /** The rows that it returned; the figures exist only for a statement that was executed. */
  readonly rows?: number | undefined;
  /** The time of all threads in the operator, without its inputs. */
  readonly timeMs?: number | undefined;
  /** The size of the rows that it returned. */
  readonly bytes?: number | undefined;
  /** The rows that a scan read before its filter. */
  readonly rowsScanned?: number | undefined;
  /** The time of the busiest node divided by the mean; undefined on one node. */
  readonly skew?: number | undefined;
  /** The figures of each node, if there are several. */
  readonly nodes?: readonly NodeFigures[] | undefined;
}

/** The figures of an operator on one node. */
interface NodeFigures {
  readonly node: string;
  readonly rows: number;
  readonly timeMs: number;
  readonly bytes: number;
}

/**
 * The outline of a bound plan, from the text that `json_serialize_plan` returns.
 * @param tableName the user-visible name of a table, by its bound name
 * @throws TesseraError STATEMENT_FAILED if the kernel returned no plan
 */
export async function logicalOutline(
  serialized: string,
  tableName: (bound: string) => string,
): Promise<PlanOutline> {
  return outline(await parsePlan(serialized), tableName);
}

function outline(node: PlanOperator, tableName: (bound: string) => string): PlanOutline {
  return {
    operator: operatorName(node.type),
    details: isGet(node)
      ? {
          ...scanned(node, tableName),
          ...listed(
            'columns',
            node.column_indexes?.flatMap(({ index }) => node.names?.[Number(index)] ?? []),
          ),
          ...listed('conditions', scanConditions(node)),
        }
      : detailsOf(node),
    inputs: (node.children ?? []).map((child) => outline(child, tableName)),
  };
}

function scanned(node: PlanGet, tableName: (bound: string) => string): Readonly<Record<string, string>> {
  const table = managedTable(node) ?? node.function_data?.table;
  return table === undefined ? { function: node.name ?? '' } : { table: tableName(table) };
}

/** `LOGICAL_COMPARISON_JOIN` → `Comparison Join`. */
const operatorName = (type: string): string =>
  type
    .replace(/^LOGICAL_/, '')
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

interface DetailedOperator extends PlanOperator {
  readonly groups?: readonly PlanExpression[];
  readonly join_type?: string;
  readonly conditions?: readonly {
    readonly left: PlanExpression;
    readonly right: PlanExpression;
    readonly comparison: string;
  }[];
  readonly condition?: PlanExpression;
  readonly orders?: readonly {
    readonly type: string;
    readonly null_order: string;
    readonly expression: PlanExpression;
  }[];
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly distinct_type?: string;
}

function detailsOf(node: PlanOperator): Readonly<Record<string, string>> {
  const { groups, join_type, conditions, condition, orders, limit, offset, expressions, distinct_type } =
    node as DetailedOperator;
  return {
    ...(join_type === undefined ? {} : { type: join_type }),
    ...(distinct_type === undefined ? {} : { type: distinct_type }),
    ...listed(
      'conditions',
      conditions?.map(({ left, right, comparison }) => expressionText({ type: comparison, left, right })) ??
        (condition && [expressionText(condition)]),
    ),
    ...listed('groups', groups?.map(expressionText)),
    ...listed(
      node.type === 'LOGICAL_FILTER' ? 'conditions' : 'expressions',
      expressions?.map(expressionText),
    ),
    ...listed(
      'order',
      orders?.map(
        ({ type, null_order, expression }) =>
          `${expressionText(expression)} ${type === 'DESCENDING' ? 'DESC' : 'ASC'} ${null_order}`,
      ),
    ),
    ...(typeof limit === 'number' ? { limit: String(limit) } : {}),
    ...(typeof offset === 'number' && offset > 0 ? { offset: String(offset) } : {}),
  };
}

const listed = (name: string, items: readonly string[] | undefined): Record<string, string> =>
  items === undefined || items.length === 0 ? {} : { [name]: items.join(', ') };

/** One line per operator, with its inputs indented below it. */
export function outlineText(outline: PlanOutline, indent = ''): string {
  const { operator, details, inputs } = outline;
  const items = [
    ...Object.entries(details).map(([name, value]) => `${name}: ${shortened(String(value))}`),
    ...figureTexts(outline),
  ];
  const line = `${indent}${operator}${items.length === 0 ? '' : ` [${items.join('; ')}]`}`;
  return [line, ...inputs.map((input) => outlineText(input, `${indent}  `))].join('\n');
}

/** Conditions may be long: lists of values, or choices between patterns. The JSON form has them in full. */
const MAX_DETAIL_LENGTH = 2_000;

const shortened = (text: string): string =>
  text.length <= MAX_DETAIL_LENGTH
    ? text
    : `${text.slice(0, MAX_DETAIL_LENGTH)}… (${text.length} characters)`;

function figureTexts({
  stage,
  estimatedRows,
  rows,
  timeMs,
  bytes,
  rowsScanned,
  skew,
  nodes = [],
}: PlanOutline): readonly string[] {
  const count = (n: number) => n.toLocaleString('en-US');
  const rowsText = (n: number) => `${count(n)} ${n === 1 ? 'row' : 'rows'}`;
  return [
    ...(stage === undefined ? [] : [`stage: ${stage}`]),
    ...(rows === undefined
      ? estimatedRows === undefined
        ? []
        : [`about ${rowsText(estimatedRows)}`]
      : [
          `rows: ${count(rows)}${estimatedRows === undefined ? '' : ` (about ${count(estimatedRows)} expected)`}`,
        ]),
    ...(rowsScanned === undefined ? [] : [`rows scanned: ${count(rowsScanned)}`]),
    ...(timeMs === undefined ? [] : [`time: ${timeMs.toFixed(1)} ms`]),
    ...(bytes === undefined ? [] : [`size: ${byteText(bytes)}`]),
    ...(skew === undefined ? [] : [`skew: ${skew.toFixed(2)}`]),
    ...nodes.map(
      (one) => `on ${one.node}: ${rowsText(one.rows)}, ${one.timeMs.toFixed(1)} ms, ${byteText(one.bytes)}`,
    ),
  ];
}
