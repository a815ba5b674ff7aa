/** Pages that are tried, by the test file that does it: files run beside each other, the pages of one in turn. */
export const PAGES = {
  readme: ['README.md'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
