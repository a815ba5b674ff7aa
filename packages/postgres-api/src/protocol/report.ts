import type { SqlLocation, TesseraError } from '@tessera/common';
import type { Notice } from '@tessera/coordinator';
import { MessageWriter } from './message-writer.ts';

export type Severity = 'ERROR' | 'FATAL' | 'WARNING' | 'NOTICE';

/** The content of an ErrorResponse or NoticeResponse. */
export interface Report {
  readonly severity: Severity;
  readonly sqlState: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The position in the client's text, in characters from 1. */
  readonly position?: number | undefined;
  /** The name of PostgreSQL's function that reports the error, where clients depend on it. */
  readonly routine?: string | undefined;
}

export const errorResponse = (report: Report): Buffer => fields('E', report);

/** Drivers recognise by this message, or by the routine, that they must prepare a statement again. */
export const CHANGED_RESULT = 'cached plan must not change result type';
const ROUTINES: Readonly<Record<string, string>> = { [CHANGED_RESULT]: 'RevalidateCachedQuery' };

export const noticeResponse = (report: Report): Buffer => fields('N', report);

function fields(type: string, { severity, sqlState, message, hint, position, routine }: Report): Buffer {
  const writer = new MessageWriter(type, 128);
  const field = (code: string, text: string) => writer.byte(code.charCodeAt(0)).text(text);
  field('S', severity);
  field('V', severity);
  field('C', sqlState);
  field('M', message);
  if (hint !== undefined) field('H', hint);
  if (position !== undefined) field('P', String(position));
  if (routine !== undefined) field('R', routine);
  return writer.byte(0).done();
}

/** @param sql the text that the client sent, to compute the error's position in it */
export function reportOf(error: TesseraError, severity: Severity, sql?: string): Report {
  const { sqlState, message, resolution, location } = error;
  const position = location === undefined || sql === undefined ? undefined : positionOf(sql, location);
  return { severity, sqlState, message, hint: resolution, position, routine: ROUTINES[message] };
}

function positionOf(sql: string, { line, startColumn }: SqlLocation): number {
  let offset = 0;
  for (let i = 1; i < line; i += 1) {
    const end = sql.indexOf('\n', offset);
    if (end < 0) break;
    offset = end + 1;
  }
  let characters = 0;
  for (const _ of sql.slice(0, offset)) characters += 1;
  return characters + startColumn;
}

export const reportOfNotice = ({ severity, sqlState, message, resolution }: Notice): Report => ({
  severity,
  sqlState,
  message,
  hint: resolution,
});

/** A NOTICE without a condition of its own. */
export const notification = (message: string, hint: string): Report => ({
  severity: 'NOTICE',
  sqlState: '00000',
  message,
  hint,
});

/** A WARNING with one of PostgreSQL's codes. */
export const warning = (sqlState: string, message: string): Report => ({
  severity: 'WARNING',
  sqlState,
  message,
});
