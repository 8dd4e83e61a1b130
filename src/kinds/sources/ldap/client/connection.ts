import type { Socket } from 'node:net';
import {
  BindRequest,
  type Control,
  ExtendedRequest,
  type Filter,
  type Message,
  MessageParser,
  type MessageResponse,
  PagedResultsControl,
  SearchEntry,
  SearchReference,
  SearchRequest,
  SearchResponse,
} from 'ldapts';
import { elementLength } from '../../../../lib/ldap/ber.ts';
import { type DirectoryServer, serverName } from '../server-uri.ts';
import { DirectoryError } from './directory-error.ts';
import { timedOut } from './socket.ts';

/** Larger messages and answers end the connection: the directory is another system, which may be malicious. */
const maxMessageBytes = 16 * 1024 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;
const maxAnswers = 20_000;
const startTlsOid = '1.3.6.1.4.1.1466.20037';

interface Pending {
  readonly message: Message;
  readonly entries: SearchEntry[];
  references: number;
  bytes: number;
  readonly resolve: (response: MessageResponse) => void;
  readonly reject: (error: Error) => void;
}

export interface SearchPage {
  readonly entries: readonly SearchEntry[];
  /** Referrals to other servers, which are not followed. */
  readonly references: number;
  /** Where the next page begins; null after the last one. */
  readonly cookie: Buffer | null;
}

export interface SearchInput {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly page?: { readonly size: number; readonly cookie: Buffer | null };
}

/**
 * One connection to a server, with one operation at a time. It never reconnects: TLS and the bind would be lost
 * silently. Every operation has a time limit; every error closes the connection.
 */
export class LdapConnection {
  readonly server: DirectoryServer;
  readonly #parser = new MessageParser();
  #socket: Socket;
  #received: Buffer[] = [];
  #size = 0;
  #pending: Pending | null = null;
  #lastId = 0;
  #failure: DirectoryError | null = null;

  constructor(server: DirectoryServer, socket: Socket) {
    this.server = server;
    this.#socket = socket;
    this.#listen();
    this.#parser.on('message', (message) => this.#take(message));
    this.#parser.on('error', () => this.#fail(this.#malformed()));
  }

  async bind(dn: string, password: string, timeoutMs: number): Promise<void> {
    // A bind without a password succeeds as an anonymous one (RFC 4513, section 5.1.2).
    if (dn !== '' && password === '') throw new DirectoryError('refused', 'The password is empty.', 49);
    await this.#success(new BindRequest({ messageId: this.#nextId(), dn, password }), timeoutMs);
  }

  /** Asks for StartTLS; the caller then encrypts the socket and hands it to `secured`. */
  async startTls(timeoutMs: number): Promise<Socket> {
    await this.#success(new ExtendedRequest({ messageId: this.#nextId(), oid: startTlsOid }), timeoutMs);
    if (this.#failure) throw this.#failure;
    // Bytes after the response were sent in the clear, perhaps by a man in the middle.
    if (this.#size > 0) throw this.#fail(this.#malformed());
    this.#socket.removeAllListeners('data');
    this.#socket.removeAllListeners('close');
    return this.#socket;
  }

  secured(socket: Socket): void {
    this.#socket = socket;
    this.#listen();
  }

  async extended(oid: string, value: string | Buffer, timeoutMs: number): Promise<void> {
    await this.#success(new ExtendedRequest({ messageId: this.#nextId(), oid, value }), timeoutMs);
  }

  /** Any request whose response is a mere result. */
  async request(make: (messageId: number) => Message, timeoutMs: number): Promise<void> {
    await this.#success(make(this.#nextId()), timeoutMs);
  }

  async search({ base, scope, filter, attributes, page }: SearchInput, timeoutMs: number): Promise<SearchPage> {
    const control =
      page && new PagedResultsControl({ value: { size: page.size, ...(page.cookie && { cookie: page.cookie }) } });
    const controls: Control[] = control ? [control] : [];
    const request = new SearchRequest({
      messageId: this.#nextId(),
      baseDN: base,
      scope,
      filter,
      attributes: [...attributes],
      timeLimit: Math.ceil(timeoutMs / 1000),
      controls,
    });
    const { response, entries, references } = await this.#success(request, timeoutMs);
    const answered = response.controls?.find((one) => one instanceof PagedResultsControl)?.value?.cookie;
    return { entries, references, cookie: answered && answered.length > 0 ? answered : null };
  }

  close(why = new DirectoryError('unreachable', `${serverName(this.server)} is disconnected`)): void {
    this.#failure ??= why;
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on('data', (data: Buffer) => this.#receive(data));
    this.#socket.on('close', () =>
      this.#fail(new DirectoryError('unreachable', `${serverName(this.server)} closed the connection`)),
    );
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  async #success(message: Message, timeoutMs: number) {
    const answer = await this.#send(message, timeoutMs);
    const { status, errorMessage } = answer.response;
    if (status === 0) return answer;
    const reason = status === 49 ? 'refused' : 'result';
    throw new DirectoryError(reason, resultText(this.server, status, errorMessage), status);
  }

  #send(message: Message, timeoutMs: number) {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#pending) throw new Error('one operation at a time');
    const timer = setTimeout(() => this.#fail(timedOut(this.server)), timeoutMs);
    const { promise, resolve, reject } = Promise.withResolvers<MessageResponse>();
    const pending: Pending = { message, entries: [], references: 0, bytes: 0, resolve, reject };
    this.#pending = pending;
    this.#socket.write(message.write());
    return promise
      .then((response) => ({ response, entries: pending.entries, references: pending.references }))
      .finally(() => clearTimeout(timer));
  }

  /** Hands over one complete message at a time: the parser copies and recurses for what it gets beyond that. */
  #receive(data: Buffer): void {
    this.#received.push(data);
    this.#size += data.length;
    if (this.#pending) this.#pending.bytes += data.length;
    if ((this.#pending?.bytes ?? 0) > maxAnswerBytes) {
      this.#fail(new DirectoryError('unreachable', `the answer of ${serverName(this.server)} is too large`));
      return;
    }
    // Not joined for each piece: many small pieces of a large message would cost time that grows with their square.
    if (this.#size < this.#awaited) return;
    let bytes = this.#received.length === 1 ? data : Buffer.concat(this.#received);
    try {
      while (!this.#failure) {
        const length = elementLength(bytes, maxMessageBytes);
        this.#awaited = length ?? bytes.length + 1;
        if (length === null || bytes.length < length) break;
        const message = bytes.subarray(0, length);
        bytes = bytes.subarray(length);
        this.#parser.read(message, this.#messages());
      }
    } catch {
      this.#fail(this.#malformed());
      return;
    }
    this.#received = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
    if (bytes.length === 0) this.#awaited = 0;
  }

  /** So many bytes must have arrived before it is worth looking. */
  #awaited = 0;

  #messages(): Map<string, { message: Message }> {
    const pending = this.#pending;
    return new Map(pending ? [[String(pending.message.messageId), { message: pending.message }]] : []);
  }

  #take(message: MessageResponse): void {
    const pending = this.#pending;
    // A notice of disconnection, or an answer to nothing.
    if (!pending || message.messageId !== pending.message.messageId) {
      this.#fail(new DirectoryError('unreachable', `${serverName(this.server)} ended the connection`));
    } else if (message instanceof SearchEntry) {
      pending.entries.push(message);
      if (pending.entries.length > maxAnswers) this.#fail(this.#malformed());
    } else if (message instanceof SearchReference) {
      pending.references += 1;
    } else if (pending.message instanceof SearchRequest !== message instanceof SearchResponse) {
      this.#fail(this.#malformed());
    } else {
      this.#pending = null;
      pending.resolve(message);
    }
  }

  #malformed = (): DirectoryError =>
    new DirectoryError('unreachable', `${serverName(this.server)} gave an answer that cannot be understood`);

  #fail(error: DirectoryError): DirectoryError {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#pending?.reject(this.#failure);
    this.#pending = null;
    return this.#failure;
  }
}

const maxTextLength = 300;

function resultText(server: DirectoryServer, status: number, text: string): string {
  const note = text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, maxTextLength);
  return `${serverName(server)} answered with result ${status}${note ? `: ${note}` : ''}`;
}
