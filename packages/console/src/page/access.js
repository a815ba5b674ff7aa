/**
 * @typedef {'none' | 'password' | 'token'} Asked what the engine wants to see: nothing, a password, a token from elsewhere
 * @typedef {{ ok: true } | { ok: false, reason: string }} LoginOutcome
 */

const TOKEN = 'tessera.token';
const USER = 'tessera.user';

/** The user of the page, as the engine knows it. The token is kept while the tab is open. */
export class Access {
  #storage;

  /** @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage of the tab */
  constructor(storage) {
    this.#storage = storage;
  }

  get token() {
    return this.#storage.getItem(TOKEN);
  }

  /** The user who logged in here; undefined for a token from elsewhere, whose user is unknown. */
  get user() {
    return this.#storage.getItem(USER);
  }

  /** @returns {Record<string, string>} */
  get headers() {
    return this.token === null ? {} : { Authorization: `Bearer ${this.token}` };
  }

  /** What the engine asks for, as its discovery document says. @returns {Promise<Asked>} */
  async asked() {
    try {
      const response = await fetch(new URL('./.well-known/firebolt', document.baseURI));
      const auth = (await response.json()).instance?.auth;
      if (!auth) return 'none';
      return auth.oauth.authorizationServers[0].name === '_local' ? 'password' : 'token';
    } catch {
      return 'none';
    }
  }

  /** @param {string} username @param {string} password @returns {Promise<LoginOutcome>} */
  async logIn(username, password) {
    const body = new URLSearchParams({ grant_type: 'password', username, password });
    try {
      const response = await fetch(new URL('./oauth/token', document.baseURI), { method: 'POST', body });
      const answer = await response.json();
      if (!response.ok)
        return { ok: false, reason: answer.error_description ?? `HTTP status ${response.status}` };
      this.use(answer.access_token, username);
      return { ok: true };
    } catch {
      return { ok: false, reason: 'The engine could not be reached.' };
    }
  }

  /** @param {string} token @param {string} [user] */
  use(token, user) {
    this.#storage.setItem(TOKEN, token);
    if (user === undefined) this.#storage.removeItem(USER);
    else this.#storage.setItem(USER, user);
  }

  forget() {
    this.#storage.removeItem(TOKEN);
    this.#storage.removeItem(USER);
  }
}
