import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOidcProvider } from './oidc.ts';
import type { OAuthRowName } from './supply.ts';

/** What to have requests ready for. */
export interface MintOrder {
  readonly row: OAuthRowName;
  readonly count: number;
}

const jwk = createPrivateKey(process.argv[2] ?? '').export({ format: 'jwk' });
const { handle, mint } = openOidcProvider(jwk);
const server = createServer(handle);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', async ({ row, count }: MintOrder) => {
  try {
    process.send?.({ done: await mint(row, count) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
