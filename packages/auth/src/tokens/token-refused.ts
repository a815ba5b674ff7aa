/** Why a token is refused, for the log; clients get `refusedToken()`. Holds nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}
