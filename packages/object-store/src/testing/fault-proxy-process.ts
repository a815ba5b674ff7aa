/**
 * `fault-proxy-process.ts <endpoint> [seed]`: a fault-injecting proxy in front of the endpoint. Prints
 * `{endpoint, control}`.
 */
import { FaultProxy, startControl } from './fault-proxy.ts';
import { serveUntilInputEnds } from './server-program.ts';

const [target = '', seed = '1'] = process.argv.slice(2);
const proxy = new FaultProxy(target, Number(seed));
const control = await startControl(proxy.rules);
const endpoint = await proxy.start();

await serveUntilInputEnds({ endpoint, control: control.url }, async () => {
  control.close();
  await proxy[Symbol.asyncDispose]();
});
