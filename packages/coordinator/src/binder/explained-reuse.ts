import { type CachedResult, MIN_SCANNED_ROWS, type Reuse } from '../reuse/result-cache.ts';

/** Whether the result of a query may be reused, and whether it is kept at present. */
export interface ExplainedReuse {
  /** Why it is not kept for later queries; undefined if it may be. */
  readonly refusal: string | undefined;
  /** The result that the query would return without EXPLAIN; undefined if it would be computed. */
  readonly kept: { readonly rows: number; readonly bytes: number } | undefined;
}

export function explainedReuse(
  { refusal }: Reuse,
  kept: CachedResult | undefined,
  scannedRows: number,
): ExplainedReuse {
  if (refusal !== undefined) return { refusal, kept: undefined };
  if (kept === undefined) {
    const few = `the query reads ${scannedRows} rows, fewer than ${MIN_SCANNED_ROWS.toLocaleString('en-US')}`;
    return { refusal: scannedRows < MIN_SCANNED_ROWS ? few : undefined, kept: undefined };
  }
  const sum = (of: (chunk: CachedResult['chunks'][number]) => number) =>
    kept.chunks.reduce((total, chunk) => total + of(chunk), 0);
  return { refusal: undefined, kept: { rows: sum((c) => c.rows), bytes: sum((c) => c.bytes.byteLength) } };
}

/** One line. */
export const reuseLine = ({ refusal, kept }: ExplainedReuse): string => {
  if (refusal !== undefined) return `not kept: ${refusal}`;
  if (kept === undefined) return 'not kept yet: the query is computed the next time it runs';
  return `kept (rows ${kept.rows}, bytes ${kept.bytes}): without EXPLAIN, the query is answered from memory`;
};

/** The member of the JSON format. */
export const reuseMember = ({ refusal, kept }: ExplainedReuse) => ({
  reusable: refusal === undefined,
  kept: kept !== undefined,
  reason: refusal,
  rows: kept?.rows,
  bytes: kept?.bytes,
});

/** A part of a query, and its rows if they are kept. */
export interface ExplainedPart {
  readonly text: string;
  readonly kept: { readonly rows: number; readonly bytes: number } | undefined;
}

const SHOWN_CHARACTERS = 60;

/** One line. */
export function partLine({ text, kept }: ExplainedPart): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  const shown = flat.length > SHOWN_CHARACTERS ? `${flat.slice(0, SHOWN_CHARACTERS)}…` : flat;
  if (kept === undefined) return `${shown}: computed`;
  return `${shown}: kept (rows ${kept.rows}, bytes ${kept.bytes}): without EXPLAIN, it is read from memory`;
}

/** The member of the JSON format. */
export const partMember = ({ text, kept }: ExplainedPart) => ({
  text,
  kept: kept !== undefined,
  rows: kept?.rows,
  bytes: kept?.bytes,
});
