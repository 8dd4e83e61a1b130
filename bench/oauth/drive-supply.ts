import { type Drive, driveWith } from '../drive.ts';
import type { ReadyRequest, Supply } from './supply.ts';

export interface SupplyOrder {
  readonly supply: Supply;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Sends the requests one after the other, and starts again unless each is good once. */
export function driveSupply({ supply, port, connections, seconds }: SupplyOrder): Promise<Drive> {
  const { requests, isSingleUse } = supply;
  let count = 0;
  return driveWith({ port, connections, seconds }, () => {
    const request = requests[isSingleUse ? count : count % requests.length];
    count += 1;
    return request ? render(supply, request, port) : null;
  });
}

function render({ method, path }: Supply, { authorization, cookie = '', form }: ReadyRequest, port: number): string {
  const content =
    form === null
      ? ''
      : `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${Buffer.byteLength(form)}\r\n`;
  const credentials = `${authorization && `authorization: ${authorization}\r\n`}${cookie && `cookie: ${cookie}\r\n`}`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: application/json\r\n${credentials}${content}\r\n${form ?? ''}`;
}
