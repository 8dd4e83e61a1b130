import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { BerError } from '../../../../lib/ldap/ber.ts';
import {
  type ExtendedRequest,
  encodeExtended,
  encodeResult,
  type Message,
  type Result,
  responses,
} from '../../../../lib/ldap/message.ts';
import { Problem } from '../../../../lib/problem.ts';
import { isUnreachable } from '../../../../platform/db/unreachable.ts';
import type { NetworkLimit } from '../../../../platform/limits/rate-limit.ts';
import { PasswordQueueFull } from '../../../../platform/passwords.ts';
import { programCall } from '../../../../provider/password-server/program-call.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Page } from '../search/page.ts';
import type { Authority } from './authority.ts';
import type { Bound } from './bind.ts';
import type { Connection, ConnectionHandler, Running } from './connection.ts';
import { passwordModify, startTls, whoAmI } from './extensions.ts';
import type { TlsContexts } from './tls-contexts.ts';

/** The operations that need the directory. */
export interface Operations {
  bind(call: Call, request: Extract<Message['operation'], { op: 'bind' }>, outpost: string | null): Promise<Bound>;
  search(call: Call, running: Running, session: Session): Promise<void>;
  compare(call: Call, running: Running, session: Session): Promise<Result>;
  modifyPassword(call: Call, request: ExtendedRequest, session: Session): Promise<Result>;
}

/** What a connection knows of its client. */
export interface Session {
  /** The outpost that the client is connected to; null for this server. */
  readonly outpost: string | null;
  readonly authority: Authority | null;
  readonly isEncrypted: boolean;
  /** Paged searches that the client may go on with, by their cookies. */
  readonly pages: Map<string, Page>;
}

/** How a connection has come. */
export interface Arrival {
  readonly clientIp: string;
  readonly isTls: boolean;
  /** Whether it may still be served; outposts lose their rights when their token is revoked. */
  isAllowed?(): Promise<boolean>;
}

interface Surroundings extends Arrival {
  readonly outpost: string | null;
  readonly anonymous: NetworkLimit;
  readonly tls: TlsContexts;
  upgrade(plain: Socket, context: SecureContext): Socket;
}

export interface Client {
  readonly isBound: boolean;
  readonly handler: Omit<ConnectionHandler, 'closed'>;
  attach(connection: Connection): void;
}

const tagOf = ({ operation }: Message): number => {
  switch (operation.op) {
    case 'bind':
      return responses.bind;
    case 'search':
      return responses.searchDone;
    case 'compare':
      return responses.compare;
    case 'write':
      return operation.answer;
    default:
      return responses.extended;
  }
};

/** The state of one connection, and what its operations do. */
export function createClient(needs: ServerNeeds, operations: Operations, arrival: Surroundings): Client {
  const { clientIp, anonymous, tls, upgrade, outpost, isAllowed } = arrival;
  let connection: Connection | undefined;
  let session: Session = { outpost, authority: null, isEncrypted: arrival.isTls, pages: new Map() };

  async function handle(running: Running): Promise<void> {
    const { message, send } = running;
    if (!session.authority && anonymous.waitAfter(clientIp) > 0) {
      await send(encodeResult(message.id, tagOf(message), { code: 'busy', message: 'Too many requests.' }));
      connection?.disconnect('busy', 'Too many requests without a bind.');
      return;
    }
    const call = programCall(needs, { protocol: 'LDAP', clientIp, isSecure: session.isEncrypted });
    try {
      await needs.sandbox.budgets.share(
        () => needs.db.scope(() => dispatch(call, running)),
        async () => needs.log.warn({ request_id: call.request.id }, 'expressions took too long for an LDAP operation'),
      );
    } catch (error) {
      const result = resultOf(error);
      if (result.code === 'other')
        needs.log.error({ err: error, request_id: call.request.id }, 'an LDAP operation failed');
      await send(encodeResult(message.id, tagOf(message), result));
    }
  }

  async function dispatch(call: Call, running: Running): Promise<void> {
    const { message, send } = running;
    const { id, operation, controls } = message;
    const answer = (result: Result) => send(encodeResult(id, tagOf(message), result));
    if (isAllowed && !(await isAllowed())) {
      connection?.disconnect('unavailable', 'The outpost is not accepted any more.');
      return;
    }
    const isForSearch = operation.op === 'search';
    if (!isForSearch && controls.some(({ isCritical }) => isCritical))
      return answer({ code: 'unavailableCriticalExtension', message: 'A critical control is not supported here.' });
    switch (operation.op) {
      case 'bind': {
        // Until a bind succeeds, the client is anonymous (RFC 4511, section 4.2.1).
        session = { ...session, authority: null, pages: new Map() };
        const bound = await operations.bind(call, operation, outpost);
        if (bound.code !== 'success') return answer(bound);
        session = { ...session, authority: bound.authority };
        return answer({ code: 'success' });
      }
      case 'search':
        return operations.search(call, running, session);
      case 'compare':
        return answer(await operations.compare(call, running, session));
      case 'extended':
        return extended(call, running, operation);
      default:
        return answer({ code: 'unwillingToPerform', message: 'The directory is read-only here.' });
    }
  }

  async function extended(call: Call, { message: { id }, send }: Running, operation: ExtendedRequest): Promise<void> {
    switch (operation.oid) {
      case whoAmI: {
        const value = session.authority ? `dn:${session.authority.dn}` : '';
        return send(encodeExtended(id, { code: 'success' }, { value }));
      }
      case passwordModify:
        return send(encodeExtended(id, await operations.modifyPassword(call, operation, session)));
      case startTls:
        return encrypt(id, send);
      default:
        return send(encodeExtended(id, { code: 'protocolError', message: 'The operation is not supported.' }));
    }
  }

  async function encrypt(id: number, send: Running['send']): Promise<void> {
    if (session.isEncrypted)
      return send(encodeExtended(id, { code: 'operationsError', message: 'The connection is encrypted already.' }));
    const context = await tls.find(needs.db.read, null, outpost);
    const isReady = connection?.secure((plain) => {
      plain.write(encodeExtended(id, { code: 'success' }, { oid: startTls }));
      return upgrade(plain, context);
    });
    if (!isReady) return connection?.disconnect('protocolError', 'Nothing may follow StartTLS before it is answered.');
    session = { ...session, authority: null, isEncrypted: true, pages: new Map() };
  }

  return {
    get isBound() {
      return session.authority !== null;
    },
    handler: {
      handle,
      isExclusive: ({ operation }) =>
        operation.op === 'bind' || (operation.op === 'extended' && operation.oid === startTls),
      failed: (error) => needs.log.error({ err: error }, 'an LDAP connection failed'),
    },
    attach(opened) {
      connection = opened;
    },
  };
}

/** Faults are the server's own: clients learn nothing of them. */
function resultOf(error: unknown): Result {
  if (error instanceof BerError) return { code: 'protocolError', message: error.message };
  if (error instanceof PasswordQueueFull) return { code: 'busy', message: 'Too many passwords are being checked.' };
  if (isUnreachable(error)) return { code: 'unavailable', message: 'The database cannot be reached.' };
  if (error instanceof Problem && error.code === 'unavailable') return { code: 'busy', message: error.message };
  return { code: 'other', message: 'The operation could not be carried out.' };
}
