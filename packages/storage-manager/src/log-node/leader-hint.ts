/**
 * The leader as recorded in `meta/leader`. It is used to find the leader and to decide when to try to lead,
 * and is never trusted for correctness.
 */
export interface LeaderHint {
  readonly epoch: number;
  readonly node: string;
  /**
   * The address of the leader. If the lease is `RELEASED`, the address of the node that should lead next, or
   * empty if any may.
   */
  readonly address: string;
  /**
   * The end of the lease by the leader's clock, in milliseconds since 1970; `RELEASED` if it has stopped
   * leading.
   */
  readonly leaseUntil: number;
}

export const RELEASED = 0;

export function encodeHint(hint: LeaderHint): Uint8Array {
  return new TextEncoder().encode(
    `${JSON.stringify({ epoch: hint.epoch, node: hint.node, address: hint.address, lease_until: hint.leaseUntil })}\n`,
  );
}

/** Undefined if the bytes are not a valid hint; then no leader is known. */
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
