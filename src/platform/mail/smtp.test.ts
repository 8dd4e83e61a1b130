import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { MailError } from './mail-error.ts';
import { createMailer, serverAt } from './mailer.ts';
import { type SmtpConnection, sendBySmtp } from './smtp.ts';

const mail = { from: 'gatehouse@example.com', to: 'ada@example.com', subject: 'Hello', text: 'A link.' };
const servers: Server[] = [];
const mailServers: SMTPServer[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  for (const server of mailServers.splice(0)) server.close(() => {});
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

test('a user who waits for a mail gets an answer in time', async () => {
  const { port } = await listen((socket) => socket.write('220 mail\r\n'));
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: mail.from });
  await expect(mailer.send(mail, 300)).rejects.toThrow('took too long');
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

/** With a certificate that no authority has signed, as Debian's Postfix has one. */
async function listenWithOwnCertificate(): Promise<{ connection: SmtpConnection; received: boolean[] }> {
  const received: boolean[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onData(stream, session, done) {
      stream.resume().on('end', () => {
        received.push(session.secure);
        done();
      });
    },
  });
  mailServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { connection: { host: '127.0.0.1', port, secure: false, requireTLS: false, timeoutMs: 10_000 }, received };
}

test('encrypts to a server with an untrusted certificate where STARTTLS is not required', async () => {
  const { connection, received } = await listenWithOwnCertificate();
  await sendBySmtp(connection, mail);
  expect(received).toEqual([true]);
});

test('rejects an untrusted certificate where STARTTLS is required', async () => {
  const { connection, received } = await listenWithOwnCertificate();
  await expect(sendBySmtp({ ...connection, requireTLS: true }, mail)).rejects.toThrow(/certificate/);
  expect(received).toEqual([]);
});

test('what a server says at length is told by its numbers, and in the log', async () => {
  const connection = await listen((socket) => {
    socket.write(`554-5.7.1 no service for 10.9.8.7 ${'x'.repeat(500_000)}\r\n554 5.7.1 go\r\n`);
  });
  const error = await sendBySmtp(connection, mail).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(MailError);
  expect(error.message).toBe('The mail server did not answer as mail servers do (554 5.7.1).');
  expect(error.isFinal).toBe(true);
  expect(error.cause.message).toContain('10.9.8.7');
  expect(error.cause.message.length).toBeLessThan(1_000);
});

test('a port that is closed is told without the address behind the name', async () => {
  const connection = { host: 'localhost', port: 1, secure: false, requireTLS: false, timeoutMs: 10_000 };
  const error = await sendBySmtp(connection, mail).catch((thrown) => thrown);
  expect(error.message).toBe('The mail server cannot be reached: it accepts no connections at this port.');
  expect(error.isFinal).toBe(false);
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
