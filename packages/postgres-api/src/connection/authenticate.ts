import type { Authenticator } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import {
  AUTHENTICATION_CLEARTEXT,
  authenticationSasl,
  authenticationSaslContinue,
  authenticationSaslFinal,
} from '../protocol/backend-message.ts';
import type { ClientStream } from '../protocol/client-stream.ts';
import { readFrontendMessage } from '../protocol/frontend-message.ts';
import { PayloadReader } from '../protocol/payload-reader.ts';

/** The client's address and whether its connection is safe from eavesdropping. */
export interface Caller {
  readonly user: string;
  /** An IP address. */
  readonly address: string;
  /** True for TLS and for connections from the same machine. */
  readonly isPrivate: boolean;
}

const MECHANISM = 'SCRAM-SHA-256';
/** The limit for a password message; tokens may be long. */
const MAX_ANSWER_BYTES = 65_536;

/** The authenticated user of a connection. */
export interface ConnectedUser {
  readonly name: string;
  /** Absent if authentication is off. */
  readonly id?: string;
}

/**
 * Authenticates the client in the configured mode. Undefined if the client disconnects.
 * @throws TesseraError WRONG_PASSWORD, UNAUTHENTICATED if a password may not be requested on this connection,
 * PROTOCOL_VIOLATION
 */
export async function authenticate(
  stream: ClientStream,
  caller: Caller,
  authenticator: Authenticator,
): Promise<ConnectedUser | undefined> {
  switch (authenticator.postgres) {
    case 'trust':
      return { name: caller.user };
    case 'password':
      return scram(stream, caller, authenticator);
    case 'token':
      if (!caller.isPrivate) throw needsTls();
      return cleartext(stream, caller, (token) => byToken(authenticator, token, caller));
    case 'token or password':
      if (!caller.isPrivate) return scram(stream, caller, authenticator);
      return cleartext(stream, caller, (answer) =>
        looksLikeToken(answer)
          ? byToken(authenticator, answer, caller)
          : authenticator.password(caller.user, answer, caller.address),
      );
  }
}

const needsTls = () =>
  TesseraError.of('UNAUTHENTICATED', {
    message: 'Tokens are taken over TLS only: connect with sslmode=require',
  });

/**
 * Recognises a token: it begins with `{"` in Base64. Dots alone would not do, because a password may contain
 * two of them.
 */
const looksLikeToken = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text);

/** Accepts a token for the user that it was issued to, and for no other. */
async function byToken(
  authenticator: Authenticator,
  token: string,
  { user, address }: Caller,
): Promise<ConnectedUser> {
  const known = await authenticator.token(token, address);
  if (known.name !== user) {
    const cause = new Error(`the token is that of ${known.name}`);
    throw TesseraError.of('WRONG_PASSWORD', { user }, { cause });
  }
  return known;
}

async function cleartext(
  stream: ClientStream,
  { user }: Caller,
  check: (answer: string) => Promise<ConnectedUser>,
): Promise<ConnectedUser | undefined> {
  stream.write(AUTHENTICATION_CLEARTEXT);
  const answer = await nextAnswer(stream);
  if (answer === undefined) return undefined;
  const password = new PayloadReader(answer).text();
  return refusing(user, () => check(password));
}

async function scram(
  stream: ClientStream,
  { user, address }: Caller,
  authenticator: Authenticator,
): Promise<ConnectedUser | undefined> {
  stream.write(authenticationSasl([MECHANISM]));
  const initial = await nextAnswer(stream);
  if (initial === undefined) return undefined;
  const reader = new PayloadReader(initial);
  const mechanism = reader.text();
  if (mechanism !== MECHANISM) {
    throw TesseraError.of('PROTOCOL_VIOLATION', {
      message: `The SASL mechanism ${mechanism} was not offered`,
    });
  }
  const first = reader.bytes(reader.int32()).toString('utf8');
  return refusing(user, async () => {
    const exchange = await authenticator.scram(user, address);
    stream.write(authenticationSaslContinue(exchange.first(first)));
    const final = await nextAnswer(stream);
    if (final === undefined) return undefined;
    const { message, user: known } = await exchange.final(final.toString('utf8'));
    stream.write(authenticationSaslFinal(message));
    return known;
  });
}

/**
 * Translates a refusal to the error code that PostgreSQL drivers know. Its message is the same for every
 * reason.
 */
async function refusing<T>(user: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof TesseraError) || error.name !== 'UNAUTHENTICATED') throw error;
    throw TesseraError.of('WRONG_PASSWORD', { user }, { cause: error });
  }
}

async function nextAnswer(stream: ClientStream): Promise<Buffer | undefined> {
  await stream.flush();
  const frame = await stream.message(MAX_ANSWER_BYTES);
  if (frame === undefined) return undefined;
  const message = readFrontendMessage(frame);
  if (message.kind === 'password') return message.data;
  if (message.kind === 'terminate') return undefined;
  throw TesseraError.of('PROTOCOL_VIOLATION', {
    message: `Expected a password, got a message of type ${frame.type}`,
  });
}
