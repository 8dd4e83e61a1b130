import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { inBrowser } from '../../resource/access/credentials.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import type { Row } from '../../resource/fields/field.ts';
import { text } from '../../resource/fields/text.ts';
import type { Action } from '../../resource/resource.ts';
import { checkMayImpersonate, impersonatePermission } from '../access/delegation.ts';
import { checkCsrfProof } from '../session/session-cookies.ts';
import type { SettingsStore } from '../settings/settings.ts';

type Person = { pk: number; username: string; type: string; is_active: boolean };

interface Dependencies {
  readonly settings: SettingsStore;
  readonly key: Pick<InstanceKey, 'hash'>;
  /** Whether browsers reach the server over TLS. */
  readonly isSecure: boolean;
}

/** Lets the caller's session act as another user, with that user's rights. */
export function impersonateAction({ settings }: Pick<Dependencies, 'settings'>) {
  return actionOn<Person>()({
    name: 'impersonate',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a user offers it under Actions.' },
    summary: 'Act as a user',
    access: { permission: impersonatePermission },
    credentials: inBrowser,
    body: { reason: text({ blank: true, default: '', max: 1000, help: 'Why; kept in the audit log.' }) },
    bodySchema: 'ImpersonationRequest',
    answer: { status: 204 },
    async run({ tx, call, row, values }) {
      const actor = requireActor(call);
      const { impersonation, impersonation_require_reason } = await settings.read(tx);
      if (!impersonation) throw new Problem('permission_denied', 'Impersonation is switched off.');
      await checkMayImpersonate(tx, actor, row.pk);
      const session = sessionToActIn(actor, row);
      if (impersonation_require_reason && values.reason === '')
        throw Invalid.field('reason', 'This field is required.');
      await sql`update authenticated_sessions set impersonated = ${row.pk} where pk = ${session}`.execute(tx);
      await recordAbout(tx, call, 'impersonation_started', row, { reason: values.reason });
    },
  });
}

/** The caller's own browser session; a bearer token always acts as its owner. */
function sessionToActIn({ user, session, impersonator }: Actor, row: Person): string {
  if (session === null) throw new Problem('permission_denied');
  if (impersonator) throw Invalid.whole('You act as another user already.');
  if (row.pk === user.pk) throw Invalid.whole('You cannot act as yourself.');
  if (!row.is_active) throw Invalid.whole('Inactive users cannot be impersonated.');
  if (row.type === 'internal_service_account')
    throw new Problem('permission_denied', 'Internal service accounts cannot be impersonated.');
  return session;
}

/** Ends the impersonation. A GET for compatibility, which nevertheless requires the CSRF token. */
export function endImpersonationAction(needs: Pick<Dependencies, 'key' | 'isSecure'>): Action {
  return {
    name: 'impersonate_end',
    on: 'set',
    method: 'GET',
    page: { noButton: 'The banner of every page offers it.' },
    summary: 'Stop acting as another user',
    access: 'authenticated',
    answer: { status: 204 },
    async run({ call }) {
      const { impersonator, session, user } = requireActor(call);
      if (!impersonator) return;
      checkCsrfProof(needs, call.request);
      await call.db.write(async (tx) => {
        await sql`update authenticated_sessions set impersonated = null where pk = ${session}`.execute(tx);
        await recordAbout(tx, { ...call, actor: impersonator }, 'impersonation_ended', { ...user }, {});
      });
    },
  };
}

/** Recorded for the administrator; the event names the impersonated user. */
function recordAbout(tx: Query, call: Call, action: string, { pk, username }: Row, context: Row): Promise<void> {
  const model = { app: 'svc_core', model_name: 'user', pk, name: username };
  return call.world.record(tx, call, { action, app: 'svc_core', context: { model, ...context } });
}
