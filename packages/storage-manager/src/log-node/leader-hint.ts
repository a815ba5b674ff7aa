/** Who leads, as `meta/leader` has it: told to find the leader and to decide when to try, never trusted. */
export interface LeaderHint {
  readonly epoch: number;
  readonly node: string;
  /** Of the leader; of the node that is to lead next where the lease is `RELEASED`, empty where any may. */
  readonly address: string;
  /** By the leader's clock, milliseconds since 1970; `RELEASED` when it has stopped leading. */
  readonly leaseUntil: number;
}

export const RELEASED = 0;

export function encodeHint(hint: LeaderHint): Uint8Array {
  return new TextEncoder().encode(
    `${JSON.stringify({ epoch: hint.epoch, node: hint.node, address: hint.address, lease_until: hint.leaseUntil })}\n`,
  );
}

/** Undefined when it is none: then nobody is known to lead. */
export function decodeHint(body: Uint8Array): LeaderHint | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
    const { epoch, node, address, lease_until: leaseUntil } = value;
    if (typeof epoch !== 'number' || typeof node !== 'string') return undefined;
    if (typeof address !== 'string' || typeof leaseUntil !== 'number') return undefined;
    return { epoch, node, address, leaseUntil };
  } catch {
    return undefined;
  }
}
