import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@tessera/common';
import { firstLine } from './first-line.ts';

const PROGRAM = join(import.meta.dirname, '../../auth/src/testing/openid-provider-process.ts');

/** An OpenID provider in a process of its own. */
export interface OpenIdProvider {
  readonly discoveryUrl: string;
  readonly port: number;
  /** An access token of the client with this name, which is its `sub`. */
  token(client: string, audience: string): Promise<string>;
  kill(): Promise<void>;
}

/**
 * Starts a provider with new keys. It ends with the test process at the latest. Another provider can be started at its
 * port once it has ended.
 */
export async function startOpenIdProvider(
  clients: readonly string[],
  wanted?: number,
): Promise<OpenIdProvider> {
  const port = wanted ?? (await freePort('127.0.0.1'));
  const child = spawn(process.execPath, [PROGRAM, String(port), ...clients], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = await firstLine(child);
  const { issuer, discoveryUrl } = JSON.parse(line) as { issuer: string; discoveryUrl: string };
  return {
    discoveryUrl,
    port,
    token: (client, audience) => fetchToken(`${issuer}/token`, client, audience),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function fetchToken(endpoint: string, client: string, audience: string): Promise<string> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${client}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`the provider answered ${response.status} and no token`);
  return token;
}
