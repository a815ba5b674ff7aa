import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { startTimer, TesseraError, type Timer } from '@tessera/common';
import {
  forwardedError,
  movableMemory,
  receivedError,
  runForwarded,
  type SessionCall,
} from '@tessera/kernel';
import { describeQuery as describedHere, type QueryDescription } from '../prepare/describe-query.ts';
import { queryData, withOutput } from '../prepare/prepare-query.ts';
import {
  LongView,
  type PrepareContext,
  type PreparedQuery,
  type QueryData,
} from '../relations/prepare-context.ts';
import type { AggregatingIndex } from '../relations/relation-resolver.ts';
import type { SqlType } from '../types/sql-type.ts';
import {
  type ContextData,
  type FromThread,
  METHODS,
  type Owner,
  type Task,
  type Thrown,
  type ToThread,
} from './messages.ts';

/** A shorter statement is prepared in the event loop, which takes less time than a message. */
const LONG_CHARACTERS = 10_000;
/** How long the idle thread is kept, in milliseconds: it holds memory, and a new one has to load this package. */
const KEPT_MS = 60_000;

/**
 * Translates a query of the dialect (or the query that EXPLAIN explains) to SQL of the kernel and binds it.
 * Files are resolved and their schemas read, but no row is read. Long texts, and texts that read views with long
 * ones, are translated in another thread.
 * @throws TesseraError if the statement is invalid, with a place in `text` if there is one
 */
export async function prepareQuery(text: string, context: PrepareContext): Promise<PreparedQuery> {
  const data = await hereOrInThread({ kind: 'prepare', text }, context, (here) => queryData(text, here));
  return withOutput(data as QueryData);
}

/** `describeQuery` of `prepare`, in another thread if the text is long, or that of a view. */
export async function describeQuery(
  text: string,
  context: PrepareContext,
  asked?: readonly SqlType[],
): Promise<QueryDescription> {
  const described = await hereOrInThread({ kind: 'describe', text, asked }, context, (here) =>
    describedHere(text, here, asked),
  );
  return described as QueryDescription;
}

async function hereOrInThread(
  task: Task,
  context: PrepareContext,
  here: (context: PrepareContext) => Promise<unknown>,
): Promise<unknown> {
  if (task.text.length < LONG_CHARACTERS) {
    try {
      return await here({ ...context, longestView: LONG_CHARACTERS });
    } catch (error) {
      if (!(error instanceof LongView)) throw error;
    }
  }
  return inThread(task, context);
}

/** Statements that wait for each other's calls share one thread. */
function inThread(task: Task, context: PrepareContext): Promise<unknown> {
  current ??= new PrepareThread((ended) => {
    if (current === ended) current = undefined;
  });
  return current.run(task, context);
}

let current: PrepareThread | undefined;

/** A statement that the thread prepares. */
interface Running {
  readonly context: PrepareContext;
  /** Runs a function as a part of the query: its spans belong to the span of the query. */
  readonly within: <T>(run: () => T) => T;
  /** The errors of answers to its calls. */
  readonly errors: unknown[];
  /** The aggregating indexes of the tables that it has asked for, by bound name. */
  readonly indexes: Map<string, readonly AggregatingIndex[]>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class PrepareThread {
  readonly #worker = new Worker(new URL('./prepare-thread.ts', import.meta.url), { name: 'prepare' });
  readonly #running = new Map<number, Running>();
  readonly #onEnd: (ended: PrepareThread) => void;
  #tasks = 0;
  #kept: Timer | undefined;

  /** @param onEnd is called when the thread takes no more tasks */
  constructor(onEnd: (ended: PrepareThread) => void) {
    this.#onEnd = onEnd;
    this.#worker
      .on('message', (message: FromThread) => this.#receive(message))
      .on('error', (error) => this.#end(error))
      .on('exit', () => this.#end(new Error('the thread that prepares long statements has ended')));
  }

  run(task: Task, context: PrepareContext): Promise<unknown> {
    this.#kept?.clear();
    this.#worker.ref();
    const id = ++this.#tasks;
    return new Promise<unknown>((resolve, reject) => {
      const within = AsyncLocalStorage.snapshot();
      this.#running.set(id, { context, within, errors: [], indexes: new Map(), resolve, reject });
      this.#send({ kind: 'task', id, task, context: contextData(context) });
    }).finally(() => this.#finish(id));
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message, message.kind === 'answer' ? movableMemory(message.value) : []);
  }

  #finish(id: number): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    this.#worker.unref();
    this.#kept = startTimer(() => {
      this.#onEnd(this);
      void this.#worker.terminate();
    }, KEPT_MS).unref();
  }

  #end(error: unknown): void {
    this.#onEnd(this);
    for (const { reject } of this.#running.values()) reject(failureOf(error));
  }

  #receive(message: FromThread): void {
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    switch (message.kind) {
      case 'call':
        void running.within(() => this.#answer(running, message));
        return;
      case 'result':
        running.resolve(message.value);
        return;
      case 'failure':
        running.reject(thrownValue(message.thrown, running.errors));
        return;
    }
  }

  async #answer(running: Running, message: Extract<FromThread, { kind: 'call' }>): Promise<void> {
    const { call } = message;
    try {
      this.#send({ kind: 'answer', call, value: await answerOf(running, message) });
    } catch (error) {
      const number = running.errors.push(error) - 1;
      const thrown: Thrown =
        error instanceof TesseraError
          ? { kind: 'error', error: forwardedError(error) }
          : { kind: 'defect', message: String(error), stack: undefined };
      this.#send({ kind: 'refusal', call, number, thrown });
    }
  }
}

/** The heap of the thread has a limit, as that of the node has. */
const failureOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? TesseraError.of('OUT_OF_MEMORY', { message: 'the statement is too long for the memory of the node' })
    : error;

function thrownValue(thrown: Thrown, errors: readonly unknown[]): unknown {
  if (thrown.kind === 'answered') return errors[thrown.number];
  if (thrown.kind === 'error') return receivedError(thrown.error);
  return Object.assign(new Error(thrown.message), { stack: thrown.stack });
}

function contextData(context: PrepareContext): ContextData {
  const { session, settings, parameters, sessionValues, relations, sequences } = context;
  const existing = <T extends object>(of: T, names: readonly (keyof T & string)[]) =>
    names.filter((name) => of[name] !== undefined);
  return {
    settings: { timezone: settings.timezone },
    parameters,
    sessionValues: { ...sessionValues },
    timeZone: session.timeZone,
    methods: {
      context: existing(context, METHODS.context),
      relations: relations && existing(relations, [...METHODS.relations, 'aggregatingIndexes']),
      sequences: sequences && existing(sequences, METHODS.sequences),
    },
  };
}

async function answerOf(
  { context, indexes }: Running,
  {
    owner,
    method,
    args,
  }: { readonly owner: Owner; readonly method: string; readonly args: readonly unknown[] },
): Promise<unknown> {
  const { session, relations, sequences } = context;
  if (owner === 'session') return runForwarded(session, args[0] as SessionCall);
  if (owner === 'binder') return runForwarded(await relations!.binder(), args[0] as SessionCall);
  if (owner === 'relations') {
    const [name, i] = args as readonly [string, number];
    switch (method) {
      case 'binder':
        return (await relations!.binder(args[0] === true ? sequences : undefined)).timeZone;
      case 'aggregatingIndexes':
        indexes.set(name, await relations!.aggregatingIndexes!(name));
        return indexes.get(name)!.map(({ use: _, ...index }) => index);
      case 'use':
        return indexes.get(name)![i]!.use();
    }
  }
  const of = (owner === 'context'
    ? context
    : context[owner as 'relations' | 'sequences']) as unknown as Record<
    string,
    (...args: readonly unknown[]) => unknown
  >;
  return of[method]!(...args);
}
