/** The object that identifies a store. It is written once and never changed. */
export const IDENTITY_KEY = 'meta/identity';

export const encodeIdentity = (id: string): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ format: 1, id })}\n`);

/** The id, a ULID; undefined if the object is damaged. */
export const decodeIdentity = (body: Uint8Array): string | undefined =>
  /^\{"format":1,"id":"([0-9A-Z]{26})"\}\n$/.exec(new TextDecoder().decode(body))?.[1];
