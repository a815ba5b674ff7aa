import type { Explanation } from './bucket-client.ts';

/** The fields that the errors of all vendors' clients have in common. */
export interface VendorError {
  readonly status?: number | undefined;
  /** The vendor's name for it, or that of the operating system. */
  readonly code?: string | undefined;
  readonly message: string;
}

const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'the server could not be reached in time',
  EHOSTUNREACH: 'the server could not be reached',
  ENETUNREACH: 'the server could not be reached',
};

/** Explains the error to the person who must fix its cause. */
export function explainVendorError({ status, code, message }: VendorError): Explanation {
  const said = code === undefined || message.includes(code) ? message : `${code}: ${message}`;
  if (code !== undefined && NETWORK[code] !== undefined) {
    return { reason: NETWORK[code], mayHaveHappened: true };
  }
  if (status === undefined) return { reason: said, mayHaveHappened: true };
  if (status === 401 || status === 403) {
    return { reason: `access is denied (${said})`, mayHaveHappened: false };
  }
  if (status >= 500 || status === 408 || status === 429) {
    return { reason: `the server answered ${status} (${said})`, mayHaveHappened: true };
  }
  return { reason: `the server answered ${status} (${said})`, mayHaveHappened: false };
}
