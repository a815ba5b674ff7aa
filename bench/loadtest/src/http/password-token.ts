import { request } from 'undici';

/**
 * Requests a token with a password from a server whose `auth.mode` is `native`. @throws Error with the
 * server's refusal
 */
export async function passwordToken(
  url: string,
  username: string,
  password: string | undefined,
): Promise<string> {
  if (password === undefined) throw new Error(`No password of ${username}: TESSERA_PASSWORD is not set`);
  const { statusCode, body } = await request(new URL('/oauth/token', url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'password', username, password }).toString(),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url} gives no token to ${username}: ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}
