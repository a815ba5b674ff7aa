import { hash, timingSafeEqual } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { TesseraError } from '@tessera/common';
import type { ClusterTls } from './cluster-tls.ts';

/** Must be increased when nodes of the previous version would misunderstand a call. */
const PROTOCOL_VERSION = 1;

/**
 * Must be increased when nodes of the previous version would misunderstand the messages by which nodes run
 * queries together: tasks, lists of tablets, outputs. Calls about the metadata log do not depend on it, so that
 * nodes of both versions can change the same tables during an upgrade. Version 0.1.0 has protocol version 1 and
 * does not send it. Since version 3, all tasks for a node share one call.
 */
const QUERY_VERSION = 3;

const PROTOCOL_KEY = 'tessera-protocol';
const TOKEN_KEY = 'tessera-cluster-token';
const KERNEL_KEY = 'tessera-kernel';
const ENGINE_KEY = 'tessera-engine';
const STORE_KEY = 'tessera-store';

/** The store that holds a node's tables. */
export interface NodeStore {
  /** `instance.id` */
  readonly instance: string;
  /** The id that is stored in the store itself. */
  readonly id: string;
  /** The location in messages: `s3://bucket/prefix`. */
  readonly url: string;
}

/** The credentials and versions that a node presents to other nodes and requires of them. */
export interface NodeCredentials {
  /** The secret of the cluster. If undefined, every caller that reaches a port is answered. */
  readonly clusterToken: string | undefined;
  /**
   * If undefined, connections are not encrypted. Otherwise both sides must have a certificate of the same
   * authority.
   */
  readonly tls?: ClusterTls | undefined;
  /**
   * The engine of the node: `<instance id>/<engine id>`. A server that names its engine serves only nodes of the same
   * engine.
   */
  readonly engine?: string | undefined;
  /** If the server has one, it only answers callers with the same one. */
  readonly kernelVersion?: string | undefined;
  /**
   * If the server has one, it refuses callers with another one. Callers of version 0.1.0 send none and are
   * answered.
   */
  readonly tableStore?: NodeStore | undefined;
}

/**
 * The metadata at the start of every call: the versions of the protocol and of the caller's kernel, and the cluster
 * token, if any.
 */
export function callMetadata({
  clusterToken,
  engine,
  kernelVersion,
  tableStore,
  protocolVersion = PROTOCOL_VERSION,
}: NodeCredentials & { readonly protocolVersion?: number | undefined }): Metadata {
  const metadata = new Metadata();
  metadata.set(PROTOCOL_KEY, String(protocolVersion));
  if (engine !== undefined) metadata.set(ENGINE_KEY, encodeURIComponent(engine));
  if (kernelVersion !== undefined) metadata.set(KERNEL_KEY, queryVersion(kernelVersion));
  if (tableStore !== undefined) metadata.set(STORE_KEY, encodeURIComponent(JSON.stringify(tableStore)));
  if (clusterToken !== undefined) metadata.set(TOKEN_KEY, clusterToken);
  return metadata;
}

/** The metadata of a call in a form for messages. */
export const metadataTexts = (metadata: Metadata): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata.getMap()).map(([key, value]) => [key, String(value)]));

/** Reverses `metadataTexts`. */
export function metadataOf(texts: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(texts)) metadata.set(key, value);
  return metadata;
}

/**
 * Verifies a call. If the server has a kernel version or an engine, the caller's must be the same.
 * @throws TesseraError UNAUTHENTICATED, PROTOCOL_MISMATCH, KERNEL_MISMATCH, STORE_MISMATCH, INVALID_ARGUMENT if
 * the call must not be answered
 */
export function checkCall(
  metadata: Metadata,
  { clusterToken, engine, kernelVersion, tableStore }: NodeCredentials,
): void {
  if (clusterToken !== undefined && !sameSecret(String(metadata.get(TOKEN_KEY)[0] ?? ''), clusterToken)) {
    const message = 'The call has not the cluster token of this node (TESSERA_CLUSTER_TOKEN)';
    throw TesseraError.of('UNAUTHENTICATED', { message });
  }
  const theirs = String(metadata.get(PROTOCOL_KEY)[0] ?? 'none');
  if (theirs !== String(PROTOCOL_VERSION)) {
    throw TesseraError.of('PROTOCOL_MISMATCH', { ours: PROTOCOL_VERSION, theirs });
  }
  const theirKernel = String(metadata.get(KERNEL_KEY)[0] ?? 'none');
  if (kernelVersion !== undefined && theirKernel !== queryVersion(kernelVersion)) {
    throw TesseraError.of('KERNEL_MISMATCH', { ours: queryVersion(kernelVersion), theirs: theirKernel });
  }
  const theirEngine = decodeURIComponent(String(metadata.get(ENGINE_KEY)[0] ?? 'none'));
  if (engine !== undefined && theirEngine !== engine) {
    const message = `This node is of the engine ${engine} (instance.id, engine.id), the caller of ${theirEngine}`;
    throw TesseraError.of('INVALID_ARGUMENT', { message });
  }
  const [theirStore] = metadata.get(STORE_KEY);
  if (tableStore !== undefined && theirStore !== undefined)
    checkStore(tableStore, decodeStore(String(theirStore)));
}

/** The text that nodes compare to find out whether they can run queries together. */
const queryVersion = (kernelVersion: string): string => `${kernelVersion} (queries ${QUERY_VERSION})`;

function checkStore(ours: NodeStore, theirs: NodeStore): void {
  if (ours.instance === theirs.instance && ours.id === theirs.id) return;
  throw TesseraError.of('STORE_MISMATCH', { ours: placeOf(ours), theirs: placeOf(theirs) });
}

const placeOf = ({ instance, id, url }: NodeStore): string => `${url} (instance.id ${instance}, store ${id})`;

function decodeStore(text: string): NodeStore {
  const { instance, id, url } = JSON.parse(decodeURIComponent(text)) as Record<string, unknown>;
  return { instance: String(instance), id: String(id), url: String(url) };
}

/** Takes the same time wherever the texts differ, and if their lengths differ. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(a), digest(b));
}
