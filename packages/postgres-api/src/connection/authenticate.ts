import type { Authenticator } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import {
  AUTHENTICATION_CLEARTEXT,
  authenticationSasl,
  authenticationSaslContinue,
  authenticationSaslFinal,
} from '../protocol/backend-message.ts';
import { readFrontendMessage } from '../protocol/frontend-message.ts';
import { PayloadReader } from '../protocol/payload-reader.ts';
import type { ClientStream } from './client-stream.ts';

/** Who connects, from where, and whether others could read along. */
export interface Caller {
  readonly user: string;
  /** An IP address. */
  readonly address: string;
  /** TLS, or the same machine. */
  readonly isPrivate: boolean;
}

const MECHANISM = 'SCRAM-SHA-256';
/** Tokens may be long. */
const MAX_ANSWER_BYTES = 65_536;

/** Who has connected. */
export interface ConnectedUser {
  readonly name: string;
  /** Absent where nobody is asked who they are. */
  readonly id?: string;
}

/**
 * The user, who has shown what the mode asks for. Undefined when the client goes.
 * @throws TesseraError WRONG_PASSWORD, UNAUTHENTICATED where it must not be asked for, PROTOCOL_VIOLATION
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

/** Begins as `{"` does in Base64: a password may well have two dots. */
const looksLikeToken = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text);

/** A token opens a connection for the user it stands for, and for no other. */
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

/** On this wire a refusal has the code that drivers know it by; what it says about the reason is the same for all. */
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
