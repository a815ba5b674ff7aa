import { CommandFailure, EXIT } from '../exit-code.ts';

/** The response of a token endpoint (RFC 6749, sections 5.1 and 5.2). */
interface TokenAnswer {
  readonly access_token?: unknown;
  readonly error_description?: unknown;
}

/** The form that requests a token from `POST /oauth/token`. */
export const tokenForm = ({ user, password }: { user: string; password: string }): string =>
  new URLSearchParams({ grant_type: 'password', username: user, password }).toString();

/** @throws CommandFailure with the server's reason */
export function tokenOf(statusCode: number, body: string, user: string): string {
  const { access_token: token, error_description: reason } = parsed(body);
  if (statusCode === 200 && typeof token === 'string') return token;
  throw new CommandFailure(
    EXIT.connection,
    `error: cannot log in as ${user}: ${typeof reason === 'string' ? reason : `the server answered HTTP ${statusCode}`}`,
  );
}

function parsed(body: string): TokenAnswer {
  try {
    return (JSON.parse(body) as TokenAnswer | null) ?? {};
  } catch {
    return {};
  }
}
