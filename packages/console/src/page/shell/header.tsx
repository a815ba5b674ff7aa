import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asked, loginProblem, logOut, token, user } from '../engine/access.ts';
import { ask } from '../engine/request.ts';
import { currentDatabase, setParameter } from '../engine/session.ts';
import { Icon } from '../parts/icon.tsx';
import { databases } from '../state/catalog.ts';
import { PAGES, type Page, route } from '../state/route.ts';
import { switchTheme, theme } from '../state/theme.ts';

export function Header({ treeOpen }: { treeOpen: Signal<boolean> }) {
  return (
    <header class="top row">
      <button
        type="button"
        class="plain"
        title="Show or hide the schema"
        aria-label="Schema"
        aria-expanded={treeOpen.value}
        onClick={() => (treeOpen.value = !treeOpen.value)}
      >
        <Icon name="menu" />
      </button>
      <h1>
        Tessera <Version />
      </h1>
      <nav aria-label="Pages">
        {(Object.keys(PAGES) as Page[]).map((page) => (
          <a key={page} href={`#/${page}`} aria-current={route.value.page === page ? 'page' : undefined}>
            {PAGES[page]}
          </a>
        ))}
      </nav>
      <span class="row end">
        {databases.value.length > 1 && <DatabaseChoice />}
        {asked.value !== 'none' && <LoginButton />}
        <button
          type="button"
          class="plain"
          title={`Switch to ${theme.value === 'dark' ? 'light' : 'dark'}`}
          aria-label={`Switch to ${theme.value === 'dark' ? 'light' : 'dark'}`}
          onClick={switchTheme}
        >
          <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
      </span>
    </header>
  );
}

function Version() {
  const version = useSignal('');
  const credentials = token.value;
  useEffect(() => {
    ask<{ version: string }>('SELECT version FROM information_schema.engines')
      .then(([row]) => {
        version.value = row?.version ?? '';
      })
      .catch(() => {});
  }, [credentials]);
  return <small>{version}</small>;
}

const DatabaseChoice = () => (
  <label class="database row">
    <Icon name="database" />
    <select
      aria-label="Database"
      value={currentDatabase()}
      onChange={(event) => setParameter('database', event.currentTarget.value)}
    >
      {databases.value.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
);

const LoginButton = () =>
  token.value === null ? (
    <button type="button" onClick={() => (loginProblem.value = '')}>
      Log in
    </button>
  ) : (
    <button type="button" onClick={logOut}>
      Log out{user.value === null ? '' : ` ${user.value}`}
    </button>
  );
