import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import { holdsOn } from '../../resource/access/access.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';
import type { Engine } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { checkMayReachUser } from '../access/delegation.ts';
import { type KeyNeeds, openKey } from './issue-token.ts';
import { checkAudience } from './token-rules.ts';

interface KeyRow {
  readonly pk: string;
  readonly identifier: string;
  readonly key: string;
  readonly user: number;
  readonly audience: string | null;
}

/** Separate from the resource, because holders of `view_token_key` see keys of tokens that are not listed for them. */
export function viewKeyEndpoint(key: KeyNeeds): Endpoint {
  return defineEndpoint({
    id: 'core_tokens_view_key_retrieve',
    method: 'GET',
    path: '/core/tokens/{identifier}/view_key/',
    page: { button: 'Show the key', needs: ['svc_core.view_token_key'] },
    summary: 'Show the key of a token',
    access: 'authenticated',
    credentials: longLivedCredentials,
    recentAuthentication: true,
    answer: { status: 200, schema: objectSchema({ key: stringSchema }), schemaName: 'TokenView' },
    async run({ call, engine }) {
      const token = await findToken(call, call.params.identifier ?? '');
      await checkMayView(requireActor(call), token, engine, call);
      const plain = openKey(key, token.pk, token.key);
      if (plain === null) throw Invalid.whole('The key cannot be opened with the secret key of this server.');
      const secret = modelFacts(engine.registry.require('svc_core.token'), token.pk, { identifier: token.identifier });
      await call.db.write((tx) =>
        call.world.record(tx, call, { action: 'secret_view', app: 'svc_core', context: { secret } }),
      );
      return { key: plain };
    },
  });
}

async function findToken({ db }: Call, identifier: string): Promise<KeyRow> {
  if (!isStorable(identifier)) throw new Problem('not_found');
  const { rows } = await sql<KeyRow>`select t.pk, t.identifier, t.key, t."user", t.audience from tokens t
    where t.identifier = ${identifier}`.execute(db.read);
  if (!rows[0]) throw new Problem('not_found');
  return rows[0];
}

/**
 * Without the permission, other users' tokens do not exist for the caller. A key gives access to its owner's account.
 */
async function checkMayView(actor: Actor, token: KeyRow, { registry }: Engine, { db }: Call): Promise<void> {
  if (actor.isSuperuser) return;
  const tokens = registry.require('svc_core.token');
  const isOwner = token.user === actor.user.pk;
  if (!isOwner && !(await holdsOn(actor, 'svc_core.view_token_key', tokens, token.pk, db.read)))
    throw new Problem('not_found');
  checkAudience(actor, token.audience);
  if (isOwner) return;
  await checkMayReachUser(db.read, { actor }, token.user);
}
