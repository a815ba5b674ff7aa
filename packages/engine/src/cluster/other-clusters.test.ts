import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastService } from '@tessera/broadcast';
import { createLogging } from '@tessera/common';
import { defaultConfig } from '@tessera/config';
import { clusterTls, startRpcServer } from '@tessera/rpc';
import type { ClusterNode } from '@tessera/scheduler';
import { expect, onTestFinished, test } from 'vitest';
import { Authority } from '../../test/certificates.ts';
import { openClusters } from './other-clusters.ts';

const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger(
  'broadcast',
);
const config = defaultConfig();
const multiCluster = (endpoint: string, encrypted: boolean) => ({
  ...config,
  engine: {
    ...config.engine,
    cluster_id: 'a',
    cluster_ordinal: 0,
    multi_cluster: {
      broadcast_endpoint: endpoint,
      broadcast_ssl_enabled: encrypted,
      broadcast_tuple_limit_per_engine_cluster: 0,
    },
  },
});
const self = () => ({ name: '127.0.0.1:1', status: 'running' }) as ClusterNode;

test('broadcast_ssl_enabled: a service with TLS is only reached with it, and with the certificate of the node', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-broadcast-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const authority = new Authority(directory);
  const { cert, key } = authority.issue('node');
  const tls = clusterTls({ ca: authority.path, certificate: cert, key });
  const credentials = { clusterToken: undefined, tls };
  const service = broadcastService({ connected: 'clusters', credentials, log });
  onTestFinished(() => service.close());
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [service],
    ...credentials,
    log,
  });
  onTestFinished(() => server.close(0));
  const endpoint = `127.0.0.1:${server.port}`;
  const warningsWith = async (encrypted: boolean) => {
    const clusters = openClusters({
      config: multiCluster(endpoint, encrypted),
      self,
      nodeNames: [],
      credentials,
      log,
    })!;
    try {
      await clusters.announced;
      return (await clusters.rowsOf('nodes')).warnings;
    } finally {
      await clusters.close();
    }
  };
  expect(await warningsWith(true)).toEqual([]);
  expect(await warningsWith(false)).toEqual([
    expect.stringContaining('The rows of other clusters may be missing'),
  ]);
});

test('broadcast_ssl_enabled without the certificate of the node is refused', () => {
  const encrypted = multiCluster('127.0.0.1:1', true);
  const node = { self, nodeNames: [], credentials: { clusterToken: undefined }, log };
  expect(() => openClusters({ config: encrypted, ...node })).toThrow(
    /broadcast_ssl_enabled needs the certificate/,
  );
  expect(openClusters({ config, ...node })).toBeUndefined();
});
