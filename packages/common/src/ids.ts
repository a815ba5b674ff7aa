import { randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** A string that only its own constructor makes, so that ids of different things cannot be mixed up. */
export type Branded<Name extends string> = string & { readonly __brand: Name };

export type QueryId = Branded<'QueryId'>;
export type RequestId = Branded<'RequestId'>;

const ulid = monotonicFactory();

/** A ULID: 26 characters that sort by time of creation. */
export const newUlid = (): string => ulid();

/** A query id as clients of this API family expect it: a UUID. */
export const newQueryId = (): QueryId => randomUUID() as QueryId;
export const newRequestId = (): RequestId => randomUUID() as RequestId;
export const asQueryId = (text: string): QueryId => text as QueryId;
