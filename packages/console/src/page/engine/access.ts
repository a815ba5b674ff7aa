import { signal } from '@preact/signals';
import { browserStorage } from '../browser-storage.ts';

/** The engine asks for nothing, for a password, or for a token that another service issues. */
export type Asked = 'none' | 'password' | 'token';

const TOKEN = 'tessera.token';
const USER = 'tessera.user';
const storage = browserStorage('sessionStorage');

/** The token is kept while the browser's tab is open. */
export const token = signal<string | null>(storage.getItem(TOKEN));
/** The user who logged in here; null for a token from elsewhere, whose user is unknown. */
export const user = signal<string | null>(storage.getItem(USER));
export const asked = signal<Asked>('none');
/** The text above the login form; undefined while no login is needed. */
export const loginProblem = signal<string | undefined>(undefined);

export const accessHeaders = (): Record<string, string> =>
  token.value === null ? {} : { Authorization: `Bearer ${token.value}` };

/** Reads what the engine asks for from its discovery document, and asks the user for it if there is no token yet. */
export async function startAccess(): Promise<void> {
  try {
    const response = await fetch(new URL('./.well-known/firebolt', document.baseURI));
    const auth = (await response.json()).instance?.auth;
    if (!auth) return;
    asked.value = auth.oauth.authorizationServers[0].name === '_local' ? 'password' : 'token';
  } catch {
    return;
  }
  if (token.value === null) loginProblem.value ??= '';
}

/** Exchanges a password for a token. Returns why it failed. */
export async function logIn(username: string, password: string): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  try {
    const response = await fetch(new URL('./oauth/token', document.baseURI), { method: 'POST', body });
    const answer = await response.json();
    if (!response.ok) return answer.error_description ?? `HTTP status ${response.status}`;
    grantAccess(answer.access_token, username);
    return undefined;
  } catch {
    return 'The engine could not be reached.';
  }
}

export function grantAccess(newToken: string, newUser: string | null): void {
  storage.setItem(TOKEN, newToken);
  if (newUser === null) storage.removeItem(USER);
  else storage.setItem(USER, newUser);
  user.value = newUser;
  token.value = newToken;
  loginProblem.value = undefined;
}

export function logOut(): void {
  storage.removeItem(TOKEN);
  storage.removeItem(USER);
  token.value = null;
  user.value = null;
}

/** The engine rejected the token, or there was none. */
export function accessRefused(): void {
  const had = token.value !== null;
  logOut();
  if (had) loginProblem.value = 'Your access has ended: log in again.';
  else loginProblem.value ??= '';
}
