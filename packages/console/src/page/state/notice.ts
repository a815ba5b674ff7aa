import { signal } from '@preact/signals';

/** A short message about something that just happened, such as a copy to the clipboard. */
export const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function tell(message: string): void {
  notice.value = message;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, 4_000);
}

/** Copies a text and says so. Where the clipboard is closed to the page (plain http), it says why. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(`Copied ${what}.`);
  } catch {
    tell('The browser does not let this page use the clipboard: open it over https or on this machine.');
  }
}
