import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../../packages/common/src/index.ts';

interface PrometheusAnswer {
  readonly status: 'success' | 'error';
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

/** A real Prometheus that scrapes one target every second. */
export interface PrometheusProcess extends AsyncDisposable {
  query(expression: string): Promise<PrometheusAnswer>;
  /** The errors of rules by name, from `/api/v1/rules`. */
  ruleErrors(): Promise<Map<string, string>>;
}

export async function startPrometheus(target: string, rules: string): Promise<PrometheusProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'prometheus-test-'));
  await mkdir(join(directory, 'data'));
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'tessera', static_configs: [{ targets: [target] }] }],
  };
  await writeFile(join(directory, 'prometheus.yml'), stringify(config));
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const get = async (path: string) => (await fetch(`http://${address}/api/v1/${path}`)).json();
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said}`);
    return (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok === true;
  };
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    query: (expression) => get(`query?query=${encodeURIComponent(expression)}`) as Promise<PrometheusAnswer>,
    ruleErrors: async () => {
      const { data } = (await get('rules')) as {
        data: { groups: { rules: { name: string; lastError?: string }[] }[] };
      };
      const failed = data.groups.flatMap((group) => group.rules).filter((rule) => rule.lastError);
      return new Map(failed.map((rule) => [rule.name, rule.lastError!]));
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
