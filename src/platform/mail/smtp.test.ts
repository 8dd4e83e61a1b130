import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { serverAt } from './mailer.ts';
import { type SmtpConnection, sendBySmtp } from './smtp.ts';

const mail = { from: 'gatehouse@example.com', to: 'ada@example.com', subject: 'Hello', text: 'A link.' };
const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(talk: (socket: Socket) => void): Promise<SmtpConnection> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    talk(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, secure: false, requireTLS: false, timeoutMs: 10_000 };
}

test('a server that answers in drips is left', async () => {
  const connection = await listen((socket) => {
    socket.write('220 mail\r\n');
    const drip = setInterval(() => socket.write('250-more\r\n'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  await expect(sendBySmtp(connection, mail, 300)).rejects.toThrow('took too long');
  await expect.poll(() => sockets.size).toBe(0);
});

test('a server that does not offer STARTTLS where it is required sees neither password nor mail', async () => {
  let heard = '';
  const connection = await listen((socket) => {
    socket.write('220 mail\r\n');
    socket.on('data', (piece) => {
      heard += piece;
      socket.write(`${piece}`.startsWith('EHLO') ? '250-mail\r\n250 AUTH PLAIN\r\n' : '500 no\r\n');
    });
  });
  const guarded = { ...connection, requireTLS: true, auth: { user: 'ada', pass: 'hunter2' } };
  await expect(sendBySmtp(guarded, mail)).rejects.toThrow(/TLS/);
  expect(heard).toContain('EHLO');
  expect(heard).not.toMatch(/AUTH|MAIL|DATA/);
});

test.each([
  ['smtp://ada:hunter2@mail.example.com', true],
  ['smtp://ada:hunter2@10.0.0.7:25', true],
  ['smtp://ada:hunter2@mail.example.com?starttls=optional', false],
  ['smtp://ada:hunter2@localhost', false],
  ['smtp://mail.example.com', false],
  ['smtps://ada:hunter2@mail.example.com', false],
])('%s: STARTTLS is required: %s', (url, isRequired) => {
  expect(serverAt(url).requireTLS).toBe(isRequired);
});
