import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOAuthFloor, type FloorOrder } from './floor.ts';

const [pem = '', path = ''] = process.argv.slice(2);
const floor = createOAuthFloor(createPrivateKey(pem), path);
const server = createServer(floor.handle);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (order: FloorOrder) => {
  try {
    floor.load(order);
    process.send?.({ done: null });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
