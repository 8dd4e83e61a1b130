import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface PublicPort {
  /** As others know the server, before it listens anywhere. */
  readonly url: string;
  leadsTo(url: string): void;
  close(): Promise<void>;
}

/** An address that is known before the server behind it has one: what its clients are told must lead somewhere. */
export async function openPublicPort(): Promise<PublicPort> {
  let target = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const onward = connect(target, '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => sockets.delete(one));
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    leadsTo(url) {
      target = Number(new URL(url).port);
    },
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        proxy.close(() => done());
      }),
  };
}
