import type { ForwardedError } from '@tessera/kernel';
import type { PrepareContext } from '../relations/prepare-context.ts';
import type { RelationResolver } from '../relations/relation-resolver.ts';
import type { SqlType } from '../types/sql-type.ts';

/** A statement, and whether the thread prepares or describes it. */
export type Task =
  | { readonly kind: 'prepare'; readonly text: string }
  | { readonly kind: 'describe'; readonly text: string; readonly asked: readonly SqlType[] | undefined };

/** The objects of a `PrepareContext` whose methods the thread calls. `binder` is the session that `relations` opens. */
export type Owner = 'session' | 'binder' | 'context' | 'relations' | 'sequences';

/** The methods that the thread calls as they are; the others have messages of their own. */
export const METHODS = {
  context: ['resolveRead', 'recogniseUpload', 'recogniseFile', 'warn'],
  relations: ['resolve', 'location', 'locationOf', 'url', 'patternsOf', 'emptyRelation', 'fileScan'],
  sequences: ['next', 'current', 'set', 'owned'],
} as const satisfies {
  readonly context: readonly (keyof PrepareContext)[];
  readonly relations: readonly (keyof RelationResolver)[];
  readonly sequences: readonly (keyof NonNullable<PrepareContext['sequences']>)[];
};

/** The part of a `PrepareContext` that the thread gets with a task. */
export interface ContextData extends Pick<PrepareContext, 'settings' | 'parameters' | 'sessionValues'> {
  /** The time zone of `PrepareContext.session`. */
  readonly timeZone: string | null;
  /** The methods that exist, by their object; undefined for an object that does not exist. */
  readonly methods: {
    readonly context: readonly string[];
    readonly relations: readonly string[] | undefined;
    readonly sequences: readonly string[] | undefined;
  };
}

/** A thrown value. */
export type Thrown =
  /** The `number`th error of the answers to the task, which the thread passes on. */
  | { readonly kind: 'answered'; readonly number: number }
  | { readonly kind: 'error'; readonly error: ForwardedError }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string | undefined };

export type ToThread =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task; readonly context: ContextData }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly number: number; readonly thrown: Thrown };

/** `id` is the task's. */
export type FromThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly call: number;
      readonly owner: Owner;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly thrown: Thrown };
