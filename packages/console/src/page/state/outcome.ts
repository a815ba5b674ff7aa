import type { Signal } from '@preact/signals';
import type { Answer } from '../engine/answer.ts';
import type { Progress } from './progress.ts';

export interface Statement {
  readonly sql: string;
  /** Where it begins in the text of the tab. */
  readonly from: number;
  /** The lines before it in the text, and the characters before it in its first line. */
  readonly place?: { readonly lines: number; readonly characters: number };
}

export type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly since: number; readonly sent: number; readonly progress?: Progress }
  | { readonly kind: 'cancelled'; readonly seconds: number }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'answered'; readonly answer: Answer; readonly seconds: number };

/** One statement of a run and what became of it. */
export interface StatementRun extends Statement {
  readonly outcome: Signal<Outcome>;
  /** How a result of rows is shown. */
  readonly view: Signal<'table' | 'chart' | 'plan'>;
  cancel(): void;
}
