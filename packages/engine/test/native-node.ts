import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, query } from './http.ts';
import type { TesseraProcess } from './tessera-process.ts';

export const INSTANCE = 'https://tessera.example';
export const ADMIN = { name: 'admin', password: 'correct horse battery staple' } as const;

type Native = Readonly<Record<string, unknown>>;

/** Writes a configuration of native mode, with the given parameters of `auth.native` and further blocks. */
export function writeNativeConfig(directory: string, native: Native = {}, blocks: Native = {}): string {
  const auth = {
    mode: 'native',
    instance_id: INSTANCE,
    native: { initial_user: ADMIN, ...native },
  };
  const path = join(directory, 'tessera.yaml');
  writeFileSync(path, JSON.stringify({ schema_version: '1.0', auth, ...blocks }), { mode: 0o600 });
  return path;
}

/** Writes a new signing key, for ES256. */
export function writeSigningKey(directory: string, id: string): { id: string; private_key_path: string } {
  const path = join(directory, `${id}.pem`);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(path, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return { id, private_key_path: path };
}

/** Requests a token from the token endpoint. */
export async function requestToken(
  { url }: Pick<TesseraProcess, 'url'>,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, json };
}

/** A token of the user. @throws with the endpoint's error */
export async function logIn(
  node: Pick<TesseraProcess, 'url'>,
  { name, password }: { readonly name: string; readonly password: string } = ADMIN,
): Promise<string> {
  const { status, json } = await requestToken(node, { grant_type: 'password', username: name, password });
  if (status !== 200) throw new Error(String(json.error_description));
  return String(json.access_token);
}

/** Runs a statement as the user of the token. */
export const queryAs = (token: string, node: Pick<TesseraProcess, 'url'>, sql: string): Promise<Answer> =>
  query(node, sql, { output_format: 'JSON_Compact' }, { Authorization: `Bearer ${token}` });
