import { randomInt, randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** A string that only its own constructor creates, so that ids of different things cannot be confused. */
export type Branded<Name extends string> = string & { readonly __brand: Name };

export type QueryId = Branded<'QueryId'>;
export type RequestId = Branded<'RequestId'>;
export type TransactionId = Branded<'TransactionId'>;
/** The `host:port` of a node's distexec service; the name of the host if the node is alone. */
export type NodeName = Branded<'NodeName'>;
/** An id that is chosen at random when the process of a node starts. */
export type Incarnation = Branded<'Incarnation'>;
/** A node during one life of its process: `<name>/<incarnation>`. */
export type NodeProcess = Branded<'NodeProcess'>;

/** `randomInt` takes its bytes from a buffer; the library's own source asks the system for each of the 16 digits. */
const ulid = monotonicFactory(() => randomInt(32) / 32);

/** A ULID: 26 characters that sort by time of creation. */
export const newUlid = (): string => ulid();

/** A query id as clients of this API family expect it: a UUID. */
export const newQueryId = (): QueryId => randomUUID() as QueryId;
export const newRequestId = (): RequestId => randomUUID() as RequestId;
export const asQueryId = (text: string): QueryId => text as QueryId;

/** The ids of a commit that no query asked for. */
export function ownCommitIds(prefix = ''): { idempotencyKey: string; queryId: QueryId } {
  const id = `${prefix}${newUlid()}`;
  return { idempotencyKey: id, queryId: asQueryId(id) };
}

export const asNodeName = (text: string): NodeName => text as NodeName;
export const newIncarnation = (): Incarnation => randomUUID() as Incarnation;
export const asIncarnation = (text: string): Incarnation => text as Incarnation;
export const nodeProcess = (name: NodeName, incarnation: Incarnation): NodeProcess =>
  asNodeProcess(`${name}/${incarnation}`);
export const asNodeProcess = (text: string): NodeProcess => text as NodeProcess;
export const nodeNameOf = (process: NodeProcess): NodeName =>
  asNodeName(process.slice(0, process.lastIndexOf('/')));

/** A ULID, which is also the idempotency key of its commit. */
export const newTransactionId = (): TransactionId => newUlid() as TransactionId;
export const asTransactionId = (text: string): TransactionId => text as TransactionId;
