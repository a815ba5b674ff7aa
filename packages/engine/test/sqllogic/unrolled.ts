import type { Control, QueryRecord, SqlRecord } from './records.ts';

type Step = SqlRecord | Extract<Control, { kind: 'mode' | 'unsupported' | 'halt' }>;

/** The records in execution order: loops are expanded and `${variable}` is replaced in them. */
export function unrolled(records: readonly (SqlRecord | Control)[]): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!;
    if (record.kind === 'endloop') throw new Error(`line ${record.line}: endloop without loop`);
    if (record.kind !== 'loop') {
      steps.push(record);
      continue;
    }
    const end = endOf(records, at);
    const body = records.slice(at + 1, end);
    for (const value of record.values)
      steps.push(...unrolled(body.map((inner) => replaced(inner, record.variable, value))));
    at = end;
  }
  return steps;
}

function endOf(records: readonly (SqlRecord | Control)[], start: number): number {
  let depth = 0;
  for (let at = start; at < records.length; at++) {
    const { kind } = records[at]!;
    if (kind === 'loop') depth++;
    if (kind === 'endloop') depth--;
    if (depth === 0) return at;
  }
  throw new Error(`line ${records[start]!.line}: loop without endloop`);
}

function replaced(record: SqlRecord | Control, variable: string, value: string): SqlRecord | Control {
  const put = (text: string) => text.replaceAll(`\${${variable}}`, value).replaceAll(`{${variable}}`, value);
  switch (record.kind) {
    case 'statement':
      return { ...record, sql: put(record.sql), message: record.message && put(record.message) };
    case 'query': {
      const expected = (record as QueryRecord).expected?.map(put);
      return { ...record, sql: put(record.sql), expected };
    }
    case 'loop':
      return { ...record, values: record.values.map(put) };
    default:
      return record;
  }
}
