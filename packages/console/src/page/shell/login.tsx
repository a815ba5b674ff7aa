import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asked, grantAccess, logIn, loginProblem } from '../engine/access.ts';

/** The dialog that asks for a password or a token. */
export function Login() {
  const dialog = useRef<HTMLDialogElement>(null);
  const refused = useSignal('');
  const wanted = loginProblem.value !== undefined && asked.value !== 'none';
  useEffect(() => {
    if (wanted && !dialog.current?.open) dialog.current?.showModal();
    if (!wanted) dialog.current?.close();
  }, [wanted]);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => String(fields.get(name) ?? '');
    if (asked.value === 'token') {
      const token = field('token')
        .trim()
        .replace(/^bearer\s+/i, '');
      if (token !== '') grantAccess(token, null);
    } else refused.value = (await logIn(field('user'), field('password'))) ?? '';
  }

  return (
    <dialog
      ref={dialog}
      class="login"
      aria-labelledby="login-title"
      onClose={() => (loginProblem.value = undefined)}
    >
      {wanted && (
        <form onSubmit={submit}>
          <h2 id="login-title">Log in</h2>
          {asked.value === 'token' ? (
            <>
              <label>
                Access token
                <input name="token" type="password" autocomplete="off" />
              </label>
              <p class="note">Get one from your organisation’s login. It stays in this browser tab.</p>
            </>
          ) : (
            <>
              <label>
                User
                <input name="user" autocomplete="username" autocapitalize="off" spellcheck={false} />
              </label>
              <label>
                Password
                <input name="password" type="password" autocomplete="current-password" />
              </label>
            </>
          )}
          <output class="problem">{refused.value || loginProblem.value}</output>
          <div class="row end">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="submit" class="primary">
              Log in
            </button>
          </div>
        </form>
      )}
    </dialog>
  );
}
