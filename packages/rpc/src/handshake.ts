import { createHash, timingSafeEqual } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { TesseraError } from '@tessera/common';

/** Grows whenever nodes of the version before would misunderstand a call. */
export const PROTOCOL_VERSION = 1;

const PROTOCOL_KEY = 'tessera-protocol';
const TOKEN_KEY = 'tessera-cluster-token';

/** What every call begins with: which protocol the caller speaks, and the secret of the cluster where it has one. */
export function callMetadata(clusterToken: string | undefined, protocol = PROTOCOL_VERSION): Metadata {
  const metadata = new Metadata();
  metadata.set(PROTOCOL_KEY, String(protocol));
  if (clusterToken !== undefined) metadata.set(TOKEN_KEY, clusterToken);
  return metadata;
}

/** @throws TesseraError UNAUTHENTICATED, PROTOCOL_MISMATCH when the call must not be answered */
export function checkCall(metadata: Metadata, clusterToken: string | undefined): void {
  if (clusterToken !== undefined && !sameSecret(String(metadata.get(TOKEN_KEY)[0] ?? ''), clusterToken)) {
    const message = 'The call has not the cluster token of this node (TESSERA_CLUSTER_TOKEN)';
    throw TesseraError.of('UNAUTHENTICATED', { message });
  }
  const theirs = String(metadata.get(PROTOCOL_KEY)[0] ?? 'none');
  if (theirs !== String(PROTOCOL_VERSION)) {
    throw TesseraError.of('PROTOCOL_MISMATCH', { ours: PROTOCOL_VERSION, theirs });
  }
}

/** Takes the same time wherever they differ, also in length. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
