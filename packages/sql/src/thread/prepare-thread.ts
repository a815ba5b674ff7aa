import { parentPort } from 'node:worker_threads';
import { TesseraError } from '@tessera/common';
import {
  ForwardedSession,
  forwardedError,
  movableMemory,
  receivedError,
  type SessionCall,
} from '@tessera/kernel';
import { describeQuery } from '../prepare/describe-query.ts';
import { queryData } from '../prepare/prepare-query.ts';
import type { PrepareContext } from '../relations/prepare-context.ts';
import type { AggregatingIndex, RelationResolver } from '../relations/relation-resolver.ts';
import type { ContextData, FromThread, Owner, Task, Thrown, ToThread } from './messages.ts';

/** The thread of `inThread`: prepares long statements beside the event loop of the node. */

type Call = (owner: Owner, method: string, args: readonly unknown[]) => Promise<unknown>;

const port = parentPort!;
const send = (message: FromThread) =>
  port.postMessage(message, message.kind === 'call' ? movableMemory(message.args[0]) : []);

let calls = 0;
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
/** The numbers of errors that came as answers, so that they need not be described when they are passed on. */
const numbers = new WeakMap<Error, number>();

port.on('message', (message: ToThread) => {
  if (message.kind === 'task') {
    void run(message.id, message.task, message.context);
    return;
  }
  const call = waiting.get(message.call);
  waiting.delete(message.call);
  if (message.kind === 'answer') call?.resolve(message.value);
  else call?.reject(answeredError(message.thrown, message.number));
});

function answeredError(thrown: Thrown, number: number): Error {
  const error =
    thrown.kind === 'error'
      ? receivedError(thrown.error)
      : new Error(thrown.kind === 'defect' ? thrown.message : '');
  numbers.set(error, number);
  return error;
}

async function run(id: number, task: Task, data: ContextData): Promise<void> {
  const call: Call = (owner, method, args) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, { resolve, reject });
      send({ kind: 'call', id, call: calls, owner, method, args });
    });
  try {
    const context = remoteContext(data, call);
    const value =
      task.kind === 'prepare'
        ? await queryData(task.text, context)
        : await describeQuery(task.text, context, task.asked);
    send({ kind: 'result', id, value });
  } catch (error) {
    send({ kind: 'failure', id, thrown: thrownValue(error) });
  }
}

function thrownValue(error: unknown): Thrown {
  const number = error instanceof Error ? numbers.get(error) : undefined;
  if (number !== undefined) return { kind: 'answered', number };
  if (error instanceof TesseraError) return { kind: 'error', error: forwardedError(error) };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'defect', message, stack };
}

/** The context of a task, whose methods run in the thread that gave the task. */
function remoteContext({ methods, timeZone, ...data }: ContextData, call: Call): PrepareContext {
  const session = (owner: Owner, zone: string | null) =>
    new ForwardedSession(zone, (one: SessionCall) => call(owner, 'call', [one]));
  const remote = <T>(owner: Owner, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, (...args: unknown[]) => call(owner, name, args)]),
    ) as unknown as T;
  const relations = (names: readonly string[]): RelationResolver => ({
    ...remote<RelationResolver>('relations', names),
    binder: async (sequences) => {
      const zone = await call('relations', 'binder', [sequences !== undefined]);
      return session('binder', zone as string | null);
    },
    ...(names.includes('aggregatingIndexes') && {
      aggregatingIndexes: async (boundName) => {
        const indexes = await call('relations', 'aggregatingIndexes', [boundName]);
        return (indexes as readonly Omit<AggregatingIndex, 'use'>[]).map((index, i) => ({
          ...index,
          use: () => call('relations', 'use', [boundName, i]) as ReturnType<AggregatingIndex['use']>,
        }));
      },
    }),
  });
  const sequences = (names: readonly string[]) => ({
    ...remote<NonNullable<PrepareContext['sequences']>>('sequences', names),
    // The binder defines them: see above.
    defineIn: async () => undefined,
  });
  return {
    ...data,
    ...remote<Pick<PrepareContext, 'resolveRead'>>('context', methods.context),
    session: session('session', timeZone),
    relations: methods.relations && relations(methods.relations),
    sequences: methods.sequences && sequences(methods.sequences),
  };
}
