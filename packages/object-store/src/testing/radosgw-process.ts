/**
 * Ceph's S3 gateway over a cluster of one monitor and one storage daemon that keeps everything in memory. Needs
 * Debian's radosgw, ceph-mon, ceph-osd and ceph-common. Prints `{endpoint, accessKeyId, secretAccessKey}`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@tessera/common';
import { request } from 'undici';
import { serveUntilInputEnds } from './server-program.ts';

const HOST = '127.0.0.1';
const UP_WITHIN_MS = 60_000;
const accessKeyId = 'tessera-test';
const secretAccessKey = 'tessera-test-secret';

const run = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), 'tessera-radosgw-'));
const at = (name: string) => join(directory, name);
const conf = at('ceph.conf');
const daemons: ChildProcess[] = [];

try {
  const port = await startCluster();
  await serveUntilInputEnds({ endpoint: `http://127.0.0.1:${port}`, accessKeyId, secretAccessKey }, stop);
} catch (error) {
  process.stderr.write(`${error}\n${await logs()}`);
  await stop();
  process.exit(1);
}

async function startCluster(): Promise<number> {
  const [monitorPort, port, clusterId] = [await freePort(HOST), await freePort(HOST), randomUUID()];
  for (const name of ['mon', 'osd', 'run']) await mkdir(at(name));
  await writeFile(conf, configuration(clusterId, monitorPort, port));
  await makeKeyring();
  await run('monmaptool', [
    ...['--create', '--fsid', clusterId, '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, at('monmap')],
  ]);
  await run('ceph-mon', [
    ...['-c', conf, '-i', 'a', '--mkfs', '--monmap', at('monmap'), '--keyring', at('keyring')],
  ]);
  start('ceph-mon', '-i', 'a');
  await run('ceph-osd', ['-c', conf, '-i', '0', '--mkfs', '--osd-uuid', clusterId]);
  await run('ceph', ['-c', conf, 'osd', 'new', clusterId, '0']);
  start('ceph-osd', '-i', '0');
  start('radosgw', '-n', 'client.admin');
  const user = run('radosgw-admin', [
    ...['-c', conf, '-n', 'client.admin', 'user', 'create', '--uid=test', '--display-name=test'],
    ...[`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`],
  ]);
  await Promise.all([answering(`http://127.0.0.1:${port}/`), user.then(makeRole)]);
  return port;
}

function configuration(clusterId: string, monitorPort: number, port: number): string {
  return `
[global]
fsid = ${clusterId}
mon_host = v2:127.0.0.1:${monitorPort}
ms_bind_msgr1 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = ${at('keyring')}
run_dir = ${at('run')}
admin_socket = ${at('run')}/$name.$pid.asok
log_file = ${at('')}/$name.log
pid_file =
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 10000
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_objectstore = memstore
memstore_device_bytes = 17179869184
rgw_frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw_enable_apis = s3, sts
rgw_sts_key = tessera-test-key
rgw_s3_auth_use_sts = true
rgw_thread_pool_size = 64
rgw_data = ${directory}
[mon.a]
mon_data = ${at('mon')}
[osd.0]
osd_data = ${at('osd')}
`;
}

async function makeKeyring(): Promise<void> {
  const rights = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
  await run('ceph-authtool', ['-C', at('keyring'), '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *']);
  for (const name of ['client.admin', 'osd.0']) {
    await run('ceph-authtool', [at('keyring'), '--gen-key', '-n', name, ...rights]);
  }
}

/** A role that the user may assume and that has all permissions. */
async function makeRole(): Promise<void> {
  const admin = (...args: readonly string[]) =>
    run('radosgw-admin', ['-c', conf, '-n', 'client.admin', ...args]);
  const trust = {
    Effect: 'Allow',
    Principal: { AWS: ['arn:aws:iam:::user/test'] },
    Action: ['sts:AssumeRole'],
  };
  const rights = { Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::*'] };
  const policy = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  const named = ['--role-name=keeper'];
  await admin('role', 'create', ...named, '--path=/', `--assume-role-policy-doc=${policy(trust)}`);
  await admin('role-policy', 'put', ...named, '--policy-name=all', `--policy-doc=${policy(rights)}`);
}

function start(program: string, ...args: readonly string[]): void {
  const output = openSync(at(`${program}.out`), 'w');
  daemons.push(spawn(program, ['-c', conf, ...args, '-f'], { stdio: ['ignore', output, output] }));
  closeSync(output);
}

async function answering(url: string): Promise<void> {
  for (const deadline = Date.now() + UP_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
    const answer = await request(url).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    if (daemons.some((daemon) => daemon.exitCode !== null)) throw new Error('a daemon ended');
  }
  throw new Error(`nothing answered within ${UP_WITHIN_MS / 1_000} s`);
}

async function logs(): Promise<string> {
  const names = ['ceph-mon.out', 'ceph-osd.out', 'radosgw.out'];
  return (await Promise.all(names.map((name) => readFile(at(name), 'utf8').catch(() => '')))).join('\n');
}

async function stop(): Promise<void> {
  for (const daemon of daemons) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
    const closed = once(daemon, 'close');
    daemon.kill('SIGKILL');
    await closed;
  }
  await rm(directory, { recursive: true, force: true });
}
