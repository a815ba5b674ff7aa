import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { TesseraError } from '@tessera/common';

/** The PEM texts by which nodes prove to each other that they belong to one cluster. */
export interface ClusterTls {
  /** The authorities whose certificates are accepted, of servers and of callers. */
  readonly ca: Buffer;
  /** The certificate of this node, with its chain; it is valid for both ends of a connection. */
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** Paths of the PEM files. */
export interface ClusterTlsFiles {
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** `TESSERA_CLUSTER_TLS_CA`, `TESSERA_CLUSTER_TLS_CERT` and `TESSERA_CLUSTER_TLS_KEY`. */
export const clusterTlsFiles = (environment: NodeJS.ProcessEnv = process.env): ClusterTlsFiles => ({
  ca: environment['TESSERA_CLUSTER_TLS_CA'],
  certificate: environment['TESSERA_CLUSTER_TLS_CERT'],
  key: environment['TESSERA_CLUSTER_TLS_KEY'],
});

/**
 * Reads the files; undefined if none is named.
 * @throws TesseraError INVALID_ARGUMENT if only some are named, one cannot be read, or they do not match
 */
export function clusterTls({ ca, certificate, key }: ClusterTlsFiles): ClusterTls | undefined {
  if (ca === undefined && certificate === undefined && key === undefined) return undefined;
  if (ca === undefined || certificate === undefined || key === undefined) {
    refuse(
      'TLS between nodes takes three files: the authority, the certificate and the key (TESSERA_CLUSTER_TLS_CA, TESSERA_CLUSTER_TLS_CERT, TESSERA_CLUSTER_TLS_KEY)',
    );
  }
  const tls = { ca: contentOf(ca), certificate: contentOf(certificate), key: contentOf(key) };
  try {
    channelCredentials(tls);
  } catch (error) {
    refuse(`The files for TLS between nodes are not usable: ${(error as Error).message}`);
  }
  return tls;
}

/** Both sides present a certificate of the authority. Without files the connection is not encrypted. */
export const channelCredentials = (tls: ClusterTls | undefined, address = ''): ChannelCredentials =>
  tls === undefined
    ? credentials.createInsecure()
    : credentials.createSsl(tls.ca, tls.key, tls.certificate, {
        checkServerIdentity: (_serverName, certificate) =>
          checkServerIdentity(hostOf(address), certificate as PeerCertificate),
      });

/**
 * TLS does not allow an address as server name. Another name is sent, and the certificate is verified against
 * the address.
 */
export const channelTlsOptions = (address: string): ChannelOptions =>
  isIP(hostOf(address)) === 0 ? {} : { 'grpc.ssl_target_name_override': SERVER_NAME };

const SERVER_NAME = 'tessera-node';

const hostOf = (address: string): string => address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

/** The same for a TLS connection without gRPC. */
export const connectionTls = ({ ca, certificate, key }: ClusterTls, host: string): ConnectionOptions => ({
  ca,
  cert: certificate,
  key,
  servername: isIP(host) === 0 ? host : SERVER_NAME,
  checkServerIdentity: (_serverName, presented) => checkServerIdentity(host, presented),
});

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    return refuse(`A file for TLS between nodes cannot be read: ${(error as Error).message}`);
  }
}

function refuse(message: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}
