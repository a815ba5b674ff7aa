import { effect, signal } from '@preact/signals';
import { browserStorage } from '../browser-storage.ts';

const KEY = 'tessera.theme';
const storage = browserStorage('localStorage');
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const saved = storage.getItem(KEY);

const chosen = signal<'dark' | 'light' | undefined>(
  saved === 'dark' || saved === 'light' ? saved : undefined,
);
export const theme = signal<'dark' | 'light'>('light');

const follow = () => {
  theme.value = chosen.value ?? (systemDark.matches ? 'dark' : 'light');
};
systemDark.addEventListener('change', follow);
effect(follow);
effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function switchTheme(): void {
  chosen.value = theme.value === 'dark' ? 'light' : 'dark';
  try {
    storage.setItem(KEY, chosen.value);
  } catch {
    // A storage that is full or switched off forgets the theme, nothing else.
  }
}
