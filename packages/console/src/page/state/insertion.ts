import { signal } from '@preact/signals';

/** A text that the editor is to write at its cursor; it takes the text from here. */
export const insertion = signal<string | undefined>(undefined);

/** Puts the keyboard into the editor. */
export const focusEditor = (): void => {
  insertion.value = '';
};
