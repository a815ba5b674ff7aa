/**
 * Runs an OpenID provider on the port of its first argument, with the clients that the other arguments name. It
 * prints `{issuer, discoveryUrl}` and exits when its standard input ends, so that it does not outlive the test
 * that started it.
 */
import { once } from 'node:events';
import { OpenIdProviderServer } from './openid-provider.ts';

const [port, ...clients] = process.argv.slice(2);
const server = await new OpenIdProviderServer({ clients, port: Number(port) }).start();
const { issuer, discoveryUrl } = server;
process.stdout.write(`${JSON.stringify({ issuer, discoveryUrl })}\n`);
process.stdin.resume();
await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
process.exit(0);
