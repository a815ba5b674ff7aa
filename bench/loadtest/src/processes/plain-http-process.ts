import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  request.resume();
  request.once('end', () => response.end('42\n'));
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
