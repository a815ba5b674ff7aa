import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogging, TesseraError } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BulkCaller } from './bulk/bulk-caller.ts';
import { NoBulkServer } from './bulk/bulk-connection.ts';
import { callMetadata, metadataTexts } from './handshake.ts';
import {
  type ClusterTls,
  clusterTls,
  clusterTlsFiles,
  FileService,
  openRpcChannel,
  StorageManagerService,
  serviceOf,
  startRpcServer,
} from './index.ts';

const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-tls-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const path = (name: string) => join(directory, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });

const certificatesOf = (name: string) => ({
  ca: path(`${name}-ca.pem`),
  certificate: path(`${name}.pem`),
  key: path(`${name}.key`),
});

/** An authority and a certificate that it has issued to a node at these addresses. */
function certificates(name: string, names: string) {
  const ca = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', ...ca, '-subj', `/CN=${name}`, '-keyout', `${name}-ca.key`, '-out', `${name}-ca.pem`);
  const leaf = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=node'];
  openssl('req', ...leaf, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\n`);
  const by = ['-CA', `${name}-ca.pem`, '-CAkey', `${name}-ca.key`, '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-extfile', `${name}.ext`, '-out', `${name}.pem`);
  return certificatesOf(name);
}

async function call(server: ClusterTls | undefined, caller: ClusterTls | undefined): Promise<bigint> {
  const unused = () => Promise.reject(new Error('not called'));
  const service = serviceOf(StorageManagerService, {
    latest: unused,
    commit: async () => ({ version: 7n }),
    reportPins: unused,
    collectGarbage: unused,
  });
  const place = { host: '127.0.0.1', port: 0, services: [service], log };
  const served = await startRpcServer({ ...place, clusterToken: undefined, tls: server });
  const channel = openRpcChannel({
    address: `127.0.0.1:${served.port}`,
    clusterToken: undefined,
    tls: caller,
    unanswered: (reason) => TesseraError.of('METADATA_UNAVAILABLE', { reason }),
  });
  try {
    return (await channel.client(StorageManagerService).commit({}, { timeoutMs: 5_000 })).version;
  } finally {
    channel.close();
    await served.close(0);
  }
}

/** The sizes of the encoded responses that come on a bulk connection. */
async function bulkCall(server: ClusterTls | undefined, caller: ClusterTls | undefined): Promise<number[]> {
  const service = serviceOf(FileService, {
    readFile: async function* () {
      for (let i = 0; i < 3; i++) yield { bytes: Buffer.alloc(3 << 20) };
    },
  });
  const place = { host: '127.0.0.1', port: 0, services: [service], log };
  const served = await startRpcServer({ ...place, clusterToken: undefined, tls: server });
  const metadata = metadataTexts(callMetadata({ clusterToken: undefined }));
  const bulk = new BulkCaller(`127.0.0.1:${served.port}`, metadata, caller);
  try {
    const sizes: number[] = [];
    for await (const { length } of bulk.call(BULK_PATH, Buffer.alloc(0), undefined)) sizes.push(length);
    return sizes;
  } finally {
    bulk.close();
    await served.close(0);
  }
}
const BULK_PATH = `/${FileService.typeName}/${FileService.method.readFile.name}`;

describe('TLS between nodes', () => {
  it('encrypts bulk connections, too, and refuses callers without the right certificate', async () => {
    const tls = clusterTls(certificates('bulk', 'IP:127.0.0.1'));
    const stranger = clusterTls({
      ...certificates('stranger', 'IP:127.0.0.1'),
      ca: certificatesOf('bulk').ca,
    });
    const sizes = await bulkCall(tls, tls);
    expect(sizes).toHaveLength(3);
    for (const size of sizes) expect(size).toBeGreaterThan(3 << 20);
    for (const caller of [undefined, stranger])
      await expect(bulkCall(tls, caller)).rejects.toThrow(NoBulkServer);
  });

  it('works if both sides have a certificate of the authority', async () => {
    const tls = clusterTls(certificates('ours', 'IP:127.0.0.1,DNS:localhost'));
    expect(await call(tls, tls)).toBe(7n);
  });

  it('refuses callers without a certificate, or with one of another authority', async () => {
    const ours = certificates('mine', 'IP:127.0.0.1');
    const theirs = certificates('theirs', 'IP:127.0.0.1');
    const server = clusterTls(ours);
    await expect(call(server, undefined)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    // The client accepts the server, but the server does not accept the client.
    const stranger = clusterTls({ ...theirs, ca: ours.ca });
    await expect(call(server, stranger)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    await expect(call(clusterTls(theirs), server)).rejects.toThrow(/certificate/);
  });

  it('refuses a server whose certificate does not match the address', async () => {
    const tls = clusterTls(certificates('elsewhere', 'IP:10.9.8.7'));
    await expect(call(tls, tls)).rejects.toThrow(/127\.0\.0\.1/);
  });

  it('requires three matching files or none', () => {
    const files = certificates('checked', 'IP:127.0.0.1');
    expect(clusterTls({})).toBeUndefined();
    expect(() => clusterTls({ ca: files.ca })).toThrow('takes three files');
    expect(() => clusterTls({ ...files, key: path('none') })).toThrow('cannot be read');
    const other = certificates('other', 'IP:127.0.0.1');
    expect(() => clusterTls({ ...files, key: other.key })).toThrow('not usable');
    expect(clusterTlsFiles({ TESSERA_CLUSTER_TLS_CA: 'a', TESSERA_CLUSTER_TLS_KEY: 'k' })).toEqual({
      ca: 'a',
      certificate: undefined,
      key: 'k',
    });
  });
});
