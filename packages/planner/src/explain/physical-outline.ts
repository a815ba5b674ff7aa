import { RELATION_FUNCTION } from '@tessera/kernel';
import { managedTable } from '../managed-table.ts';
import { isGet, type PlanOperator } from '../plan-nodes.ts';
import { parsePlan } from '../serialized-plan.ts';
import { detailName, detailText, operatorWord } from './operator-words.ts';
import type { PlanOutline } from './plan-outline.ts';

/** An operator of the kernel's `EXPLAIN (FORMAT json)`, or of its profile, which has other names and figures. */
interface KernelOperator {
  readonly name?: string;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly KernelOperator[];
  readonly operator_name?: string;
  /** In seconds, of all threads. */
  readonly operator_timing?: number;
  readonly operator_cardinality?: number;
  readonly result_set_size?: number;
}

/** The kernel's profile of a statement. */
interface KernelProfile extends KernelOperator {
  /** In seconds. */
  readonly latency?: number;
  /** In seconds. */
  readonly cpu_time?: number;
  readonly system_peak_buffer_memory?: number;
  readonly system_peak_temp_dir_size?: number;
  readonly rows_returned?: number;
}

export interface ProfileOutline {
  readonly operators: PlanOutline;
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
  readonly spilledBytes: number;
}

/** What a scan of the kernel reads, in the user's words. */
export interface ScanNames {
  /** The table or file that a name or path of the kernel means; undefined if it is none of the user's. */
  sourceOf(text: string): { readonly table: string } | { readonly file: string } | undefined;
  /** Replaces internal names in a text. */
  rename(text: string): string;
}

/**
 * The outline of the kernel's `EXPLAIN (FORMAT json)` output for a statement over relations of the mirror.
 * @param serialized the plan of the same statement, which contains the names of the relations
 * @param rename translates texts that contain internal table names
 */
export async function physicalOutline(
  json: string,
  serialized: string,
  rename: (text: string) => string,
): Promise<PlanOutline> {
  const parsed = JSON.parse(json) as KernelOperator | readonly KernelOperator[];
  const plan = (Array.isArray(parsed) ? parsed[0] : parsed) ?? {};
  const count = operators(plan).filter(isRelation).length;
  const tables = count === 0 ? [] : scannedTables(await parsePlan(serialized));
  // If the kernel has other scans than the plan, they cannot be matched.
  const names = (tables.length === count ? tables : []).values();
  return outline(
    plan,
    (operator) => {
      if (!isRelation(operator)) return undefined;
      const table = names.next().value;
      return { operator: 'Scan table', ...(table !== undefined && { table: rename(table) }) };
    },
    rename,
  );
}

/**
 * The outline of the kernel's `EXPLAIN (ANALYZE, FORMAT json)` output; undefined for a statement that the kernel does not profile,
 * because it only returns values that planning has computed.
 */
export function profileOutline(json: string, { sourceOf, rename }: ScanNames): ProfileOutline | undefined {
  const profile = JSON.parse(json) as KernelProfile;
  if (profile.children === undefined) return undefined;
  const [explain] = profile.children ?? [];
  const top = nameOf(explain ?? {}) === 'EXPLAIN_ANALYZE' ? explain?.children?.[0] : explain;
  const operators = outline(top ?? {}, (operator) => scanOf(operator, sourceOf), rename);
  return {
    operators,
    elapsedMs: 1000 * (profile.latency ?? 0),
    cpuMs: 1000 * (profile.cpu_time ?? 0),
    peakMemoryBytes: profile.system_peak_buffer_memory ?? 0,
    spilledBytes: profile.system_peak_temp_dir_size ?? 0,
  };
}

type Scanned = { readonly operator: string; readonly table?: string; readonly file?: string };

function scanOf(operator: KernelOperator, sourceOf: ScanNames['sourceOf']): Scanned | undefined {
  const { extra_info: info = {} } = operator;
  if (nameOf(operator) === 'TESSERA_RECEIVED') return { operator: 'Exchange' };
  const text = info['Filename(s)'] ?? info.Table;
  if (text === undefined) return undefined;
  const source = sourceOf(String(text));
  const isFile = info['Filename(s)'] !== undefined && (source === undefined || 'file' in source);
  return { operator: isFile ? 'Scan files' : 'Scan table', ...source };
}

function outline(
  operator: KernelOperator,
  scan: (operator: KernelOperator) => Scanned | undefined,
  rename: (text: string) => string,
): PlanOutline {
  return described(operator, { scan, rename }).outline;
}

interface Describing {
  readonly scan: (operator: KernelOperator) => Scanned | undefined;
  readonly rename: (text: string) => string;
}

interface Described {
  readonly outline: PlanOutline;
  /** The texts of the columns that it returns, where they are known. */
  readonly columns: readonly string[];
  /** The columns of an aggregate that are its groups, which a projection above it may reference by position: `1`. */
  readonly groups: readonly string[];
}

/** Operators that return the columns of their input. */
const PASSING: ReadonlySet<string> = new Set(['FILTER', 'TOP_N', 'ORDER_BY', 'STREAMING_LIMIT', 'LIMIT']);

/** A projection that only passes columns on is left out, and references by position get the names of the columns. */
function described(operator: KernelOperator, describing: Describing): Described {
  const { scan, rename } = describing;
  const { extra_info: info = {}, children = [] } = operator;
  const name = nameOf(operator);
  const scanned = scan(operator);
  const inputs = children.map((child) => described(child, describing));
  const below = inputs[0]?.columns ?? [];
  const unresolved = (key: string) =>
    info[key] === undefined ? [] : detailText(rename([info[key]].flat().join('\n'))).split('\n');
  const textsOf = (key: string) =>
    unresolved(key)
      .map((text) => (inputs.length === 2 ? resolvedSides(text, inputs) : resolved(text, below)))
      .filter((text) => text !== '');
  const groups = inputs[0]?.groups ?? [];
  const columns =
    name === 'PROJECTION'
      ? textsOf('Projections').map((text) => (/^\d+$/.test(text) ? (groups[Number(text)] ?? text) : text))
      : PASSING.has(name)
        ? below
        : scanned !== undefined
          ? textsOf('Projections')
          : [...textsOf('Groups'), ...textsOf('Aggregates')];
  const [only] = inputs;
  if (name === 'PROJECTION' && only !== undefined && unresolved('Projections').every(isPassed))
    return { columns, groups: columns.slice(0, groups.length), outline: plusTime(only.outline, operator) };
  const details = Object.fromEntries(
    Object.keys(info).flatMap((key) => {
      const [detail, text] = [
        detailName(key),
        byPosition((key === 'Projections' && name === 'PROJECTION' ? columns : textsOf(key)).join(', ')),
      ];
      return detail === undefined || text === ''
        ? []
        : [[detail, detail === 'type' ? text.toLowerCase().replaceAll('_', ' ') : text]];
    }),
  );
  const { operator: word = rename(operatorWord(name, inputs.map(rowsOf))), ...source } = scanned ?? {};
  const estimate = Number(info['Estimated Cardinality']);
  const outline = {
    operator: word,
    details: { ...source, ...details },
    ...(Number.isFinite(estimate) && { estimatedRows: estimate }),
    ...figuresOf(operator),
    inputs: inputs.map((input) => input.outline),
  };
  return { columns, groups: textsOf('Groups'), outline };
}

/** The rows that an operator returned, or is expected to return. */
const rowsOf = ({ outline: { rows, estimatedRows } }: Described): number | undefined => rows ?? estimatedRows;

/** Whether a text is a name or a reference by position, and not an expression or a constant. */
const isPassed = (column: string): boolean => /^(?:#\d+|[^\s()'\d][^\s()']*|"[^"]*")$/.test(column);

/** References by position (`#1`), and the constants in which the same characters may stand. */
const REFERENCES = /'(?:[^']|'')*'|#(\d+)/g;

/** Replaces references by position by the columns of the input. */
const resolved = (text: string, columns: readonly string[]): string =>
  text.replaceAll(REFERENCES, (found, position) => columns[Number(position)] ?? found);

/** The condition of a join: each of its sides counts the columns of its own input. */
const resolvedSides = (text: string, inputs: readonly Described[]): string => {
  const [, left, comparison, right] = JOIN_CONDITION.exec(text) ?? [];
  if (left === undefined || right === undefined) return text;
  return `${resolved(left, inputs[0]!.columns)}${comparison}${resolved(right, inputs[1]!.columns)}`;
};

const JOIN_CONDITION = /^([^=<>']*?)( (?:=|!=|<>|<=?|>=?|IS (?:NOT )?DISTINCT FROM) )([^=<>']*)$/;

/** References by position whose columns have no name in the kernel's plan. */
const byPosition = (text: string): string =>
  text.replaceAll(REFERENCES, (found, position?: string) =>
    position === undefined ? found : `column ${Number(position) + 1}`,
  );

const plusTime = (outline: PlanOutline, { operator_timing: seconds = 0 }: KernelOperator): PlanOutline =>
  outline.timeMs === undefined ? outline : { ...outline, timeMs: outline.timeMs + 1000 * seconds };

function figuresOf(operator: KernelOperator): Partial<PlanOutline> {
  const { operator_timing: seconds, operator_cardinality: rows } = operator;
  if (seconds === undefined) return {};
  return {
    timeMs: 1000 * seconds,
    rows: rows ?? 0,
    bytes: operator.result_set_size ?? 0,
  };
}

const nameOf = ({ name, operator_name: profiled }: KernelOperator): string => (profiled ?? name ?? '').trim();

const isRelation = (operator: KernelOperator): boolean =>
  nameOf(operator).toLowerCase() === RELATION_FUNCTION;

const operators = (plan: KernelOperator): readonly KernelOperator[] => [
  plan,
  ...(plan.children ?? []).flatMap(operators),
];

const scannedTables = (node: PlanOperator): readonly string[] => [
  ...(isGet(node) ? [managedTable(node)].filter((name) => name !== undefined) : []),
  ...(node.children ?? []).flatMap(scannedTables),
];
