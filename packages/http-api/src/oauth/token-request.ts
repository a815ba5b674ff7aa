import { OAuthError } from './oauth-error.ts';

/** The credentials in a token request, and its grant. */
export interface TokenRequest {
  readonly grant: 'client_credentials' | 'password';
  readonly name: string;
  readonly password: string;
}

interface Credentials {
  readonly name: string;
  readonly password: string;
}

/**
 * Reads a token request (RFC 6749, sections 4.3 and 4.4). A user is its own client: `client_id` is the user's name and
 * `client_secret` the password, in the body or by HTTP Basic, never both. `audience` is the only accepted `resource` (RFC 8707).
 * @throws OAuthError
 */
export function readTokenRequest(
  form: ReadonlyMap<string, string>,
  authorization: string | undefined,
  audience: string,
): TokenRequest {
  const resource = form.get('resource');
  if (resource !== undefined && resource !== audience)
    throw new OAuthError('invalid_target', 'resource is not the identifier of this instance');
  const grant = form.get('grant_type');
  const basic = authorization === undefined ? undefined : basicCredentials(authorization);
  if (basic !== undefined && form.has('client_secret'))
    throw invalid('the client authenticates both by HTTP Basic and in the body');
  switch (grant) {
    case undefined:
      throw invalid('grant_type is missing');
    case 'client_credentials':
      return { grant, ...(basic === undefined ? formCredentials(form) : sameClient(basic, form)) };
    case 'password':
      if (basic !== undefined || form.has('client_secret'))
        throw invalid('the password grant takes the password of the user alone, no client credentials');
      return { grant, name: required(form, 'username'), password: required(form, 'password') };
    default:
      throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials or password');
  }
}

const formCredentials = (form: ReadonlyMap<string, string>): Credentials => ({
  name: required(form, 'client_id'),
  password: required(form, 'client_secret'),
});

function sameClient(basic: Credentials, form: ReadonlyMap<string, string>): Credentials {
  const id = form.get('client_id');
  if (id === undefined || id === basic.name) return basic;
  throw invalid('client_id is not that of the Authorization header');
}

function required(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw invalid(`${name} is missing`);
  return value;
}

/** Name and password are form-encoded inside the base64 (RFC 6749, section 2.3.1). */
function basicCredentials(authorization: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw unknownClient('the Authorization header must be HTTP Basic');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) throw unknownClient('the Authorization header holds no name and password');
  return { name: decoded(text.slice(0, colon)), password: decoded(text.slice(colon + 1)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unknownClient('name and password of the Authorization header must be form-encoded');
  }
}

const invalid = (description: string) => new OAuthError('invalid_request', description);
const unknownClient = (description: string) => new OAuthError('invalid_client', description);
