import { byId } from './element.js';

/** The dialog that asks for a password or a token, and the button that opens it. */
export class LoginDialog {
  #access;
  #dialog = byId('login', HTMLDialogElement);
  #button = byId('login-open', HTMLButtonElement);
  #name = byId('login-name', HTMLInputElement);
  #password = byId('login-password', HTMLInputElement);
  #token = byId('login-token', HTMLInputElement);
  #problem = byId('login-problem', HTMLOutputElement);
  /** @type {import('./access.js').Asked} */
  #asked = 'none';

  /** @param {import('./access.js').Access} access */
  constructor(access) {
    this.#access = access;
    byId('login-form', HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    byId('login-close', HTMLButtonElement).onclick = () => this.#dialog.close();
    this.#button.onclick = () => {
      if (access.token === null) return this.open('');
      access.forget();
      this.#showWho();
    };
  }

  /** Learns what the engine asks for, and asks the user for it where there is no token yet. */
  async start() {
    this.#asked = await this.#access.asked();
    this.#button.hidden = this.#asked === 'none';
    if (this.#asked === 'none') return;
    this.#showWho();
    if (this.#access.token === null) this.open('');
  }

  /** The token is no longer good, or never was. */
  refused() {
    if (this.#asked === 'none') return;
    const had = this.#access.token !== null;
    this.#access.forget();
    this.#showWho();
    this.open(had ? 'Your access has ended: log in again.' : '');
  }

  /** @param {string} problem */
  open(problem) {
    byId('login-by-password', HTMLElement).hidden = this.#asked !== 'password';
    byId('login-by-token', HTMLElement).hidden = this.#asked !== 'token';
    this.#problem.value = problem;
    if (!this.#dialog.open) this.#dialog.showModal();
    (this.#asked === 'token' ? this.#token : this.#name).focus();
  }

  async #submit() {
    if (this.#asked === 'token') {
      const token = this.#token.value.trim().replace(/^bearer\s+/i, '');
      if (token === '') return;
      this.#access.use(token);
    } else {
      const outcome = await this.#access.logIn(this.#name.value, this.#password.value);
      if (!outcome.ok) {
        this.#problem.value = outcome.reason;
        return;
      }
    }
    this.#token.value = '';
    this.#password.value = '';
    this.#dialog.close();
    this.#showWho();
  }

  #showWho() {
    const { token, user } = this.#access;
    this.#button.textContent = token === null ? 'Log in' : `Log out${user === null ? '' : ` ${user}`}`;
  }
}
