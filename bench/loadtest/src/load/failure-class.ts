import { WrongAnswer } from './session.ts';

/** The class under which a failure is counted. */
export function failureClass(error: unknown): string {
  if (error instanceof WrongAnswer) return 'wrong answer';
  const { code, sqlState, status } = error as {
    readonly code?: unknown;
    readonly sqlState?: unknown;
    readonly status?: unknown;
  };
  if (status !== undefined) return sqlState === undefined ? `HTTP ${status}` : `HTTP ${status} ${sqlState}`;
  if (typeof code === 'string') return /^[0-9A-Z]{5}$/.test(code) ? `SQLSTATE ${code}` : code;
  return error instanceof Error ? error.name : typeof error;
}
