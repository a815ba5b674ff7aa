import { type Figure, meetsTarget } from './figure.ts';
import { quantity } from './number.ts';
import type { BenchmarkResult, Report } from './report.ts';

type Answer = (figureOf: (what: string, title: string) => string) => string;

/** The questions that most readers have, each with the benchmark that answers it. */
const QUESTIONS: readonly (readonly [benchmark: string, question: string, answer: Answer])[] = [
  [
    'tpch',
    'How fast is one node compared with DuckDB in its own process?',
    (of) =>
      `TPC-H, tables in memory: ${of('later runs, all queries', 'Tessera')} against ${of('later runs, all queries', 'DuckDB')}; DuckDB over the same data as Parquet files ${of('later runs, all queries', 'DuckDB, Parquet')}`,
  ],
  [
    'tpch',
    'What does the first run cost, with nothing in memory?',
    (of) =>
      `${of('first run, all queries', 'Tessera')}; DuckDB over Parquet ${of('first run, all queries', 'DuckDB, Parquet')}`,
  ],
  [
    'clickbench',
    'How fast are many short queries over one wide table?',
    (of) =>
      `ClickBench, 43 queries: ${of('later runs, all queries', 'Tessera')}; DuckDB ${of('later runs, all queries', 'DuckDB')}, ClickHouse ${of('later runs, all queries', 'ClickHouse')}`,
  ],
  [
    'cluster',
    'What do four nodes cost compared with one, in CPU time?',
    (of) =>
      `${of('all queries', 'free ÷ one')} over the 22 queries of TPC-H when the planner chooses; ${of('all queries', 'forced ÷ one')} when all queries are forced onto four nodes`,
  ],
  [
    'cluster',
    'How fast do rows of four columns move between nodes?',
    (of) =>
      `${of('exchange, 10 M rows × 4 columns, 4 consumers', 'speed')}, ${of('exchange, 10 M rows × 4 columns, 4 consumers', 'CPU of a row')} of CPU time a row`,
  ],
  [
    'upload',
    'How fast is an uploaded file aggregated?',
    (of) =>
      `CSV in ${of('CSV', 'Tessera')}, ${of('CSV', 'ratio')} of plain DuckDB and the copy; as Parquet in ${of('Parquet', 'Tessera')}`,
  ],
  [
    'select42',
    'What is the least latency of a statement?',
    (of) =>
      `\`SELECT 42\` over HTTP: ${of('Tessera, 1 connection', 'p50')} for one client, ${of('Tessera, 8 connections', 'throughput')} for eight`,
  ],
  [
    'single-inserts',
    'How many single-row INSERTs, each a durable commit?',
    (of) =>
      `${of('INSERT, 1 connection', 'throughput')} on one connection, ${of('INSERT, 4 connections', 'throughput')} on four; an UPDATE by key takes ${of('UPDATE by key', 'p50')}: send rows in batches`,
  ],
];

const UNKNOWN = 'not measured';

/** The questions that the report answers, as a Markdown table with links to the sections. */
export function summaryOf({ results }: Report): string | undefined {
  const rows = QUESTIONS.flatMap(([benchmark, question, answer]) => {
    const result = results.find((one) => one.benchmark === benchmark);
    if (result === undefined) return [];
    const text = answer((what, title) => figureText(result, what, title));
    return [`| ${question} | ${text} | [${result.title}](#${anchorOf(result.title)}) |`];
  });
  if (rows.length === 0) return undefined;
  return ['**In short**', '', '| question | answer | table |', '|---|---|---|', ...rows].join('\n');
}

function figureText({ lines }: BenchmarkResult, what: string, title: string): string {
  const figure: Figure | undefined = lines.find((line) => line.what === what)?.figures[title];
  if (figure === undefined) return UNKNOWN;
  const text = quantity(figure.median, figure.unit);
  return meetsTarget(figure) ? text : `${text} (target missed)`;
}

/** The anchor that Markdown renderers make of a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
