/**
 * The error codes of RFC 6749, section 5.2, and of RFC 8707, plus `server_error`, which RFC 6749 defines for
 * redirects only.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_target'
  | 'server_error';

/** A token request that is answered with an error. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly httpStatus: number;

  constructor(code: OAuthErrorCode, description: string, httpStatus = code === 'invalid_client' ? 401 : 400) {
    super(description);
    this.code = code;
    this.httpStatus = httpStatus;
  }

  /**
   * The body of the answer. A description may only contain printable ASCII without quotes and backslashes.
   */
  toJSON(): object {
    const description = this.message.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
    return { error: this.code, error_description: description };
  }
}
