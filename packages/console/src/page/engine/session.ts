import { signal } from '@preact/signals';
import { browserStorage, keep, kept } from '../browser-storage.ts';

const KEY = 'tessera.session';
const storage = browserStorage('sessionStorage');

/**
 * What statements have set for those after them: the database, settings, an open transaction. The API is stateless,
 * so every request carries these parameters.
 */
export const session = signal<Readonly<Record<string, string>>>(
  (kept(storage, KEY) as Record<string, string> | undefined) ?? {},
);

export const currentDatabase = (): string => session.value.database ?? 'tessera';

export function setParameter(name: string, value: string | undefined): void {
  const { [name]: _, ...others } = session.value;
  session.value = value === undefined ? others : { ...others, [name]: value };
  keep(storage, KEY, session.value);
}

/** Applies the headers by which a response changes the session. */
export function followHeaders(header: (name: string) => string | null): void {
  const update = header('Firebolt-Update-Parameters');
  const remove = header('Firebolt-Remove-Parameters');
  if (header('Firebolt-Reset-Session') !== null)
    for (const name of Object.keys(session.value)) setParameter(name, undefined);
  if (update !== null) {
    const at = update.indexOf('=');
    setParameter(update.slice(0, at).trim(), update.slice(at + 1).trim());
  }
  if (remove !== null) setParameter(remove.split('=')[0]!.trim(), undefined);
}
