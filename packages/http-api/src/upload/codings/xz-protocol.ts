/**
 * Messages to the thread that decodes xz. The thread asks for input when it needs some and returns output
 * when asked.
 */
export type XzRequest =
  | { readonly kind: 'start' }
  | { readonly kind: 'pull' }
  /** The answer to `need`; undefined at the end of the input. */
  | { readonly kind: 'input'; readonly chunk: Uint8Array | undefined };

export type XzReply =
  | { readonly kind: 'need' }
  | { readonly kind: 'output'; readonly chunk: Uint8Array }
  | { readonly kind: 'done' }
  | { readonly kind: 'corrupt'; readonly reason: string };
