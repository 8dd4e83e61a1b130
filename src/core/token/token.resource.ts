import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import { requireActor } from '../../resource/call.ts';
import { actionOn, defineResource } from '../../resource/define.ts';
import { nested } from '../../resource/fields/computed.ts';
import { hidden } from '../../resource/fields/field.ts';
import { ref } from '../../resource/fields/ref.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { choice, slug, text } from '../../resource/fields/text.ts';
import { relatedFilter } from '../../resource/list/query.ts';
import type { Resource } from '../../resource/resource.ts';
import { masked, modelFacts } from '../../resource/write/audit.ts';
import { applicationModel } from '../application/models.ts';
import { minKeyLength, type Settings } from '../settings/settings.ts';
import { type KeyNeeds, storeKey } from './issue-token.ts';
import { afterTokenWrite, checkToken, tokenIntents } from './token-rules.ts';

export interface TokenNeeds {
  readonly key: KeyNeeds;
  readonly settings: { read(query: Query): Promise<Settings> };
}

/**
 * Users' credentials. The key is not a field: it is stored sealed, looked up by hash and returned only by `view_key`.
 */
export function tokenResource(needs: TokenNeeds): Resource {
  return defineResource({
    path: '/core/tokens/',
    param: 'identifier',
    lookup: 'identifier',
    key: 'uuid',
    model: 'svc_core.token',
    schema: 'Token',
    names: ['Token', 'Tokens'],
    table: 'tokens',
    order: ['identifier', 'expires'],
    page: { columns: ['identifier', 'user', 'intent', 'expiring', 'expires'] },
    search: ['identifier', 'intent', 'user.username', 'description'],
    nameOf: (row) => row.identifier,
    visibility: { by: 'owner', column: 'user', write: 'owner', create: 'anyone signed in' },
    writtenWith: longLivedCredentials,
    recentAuthentication: { create: true, update: true, partial_update: true },
    fields: {
      managed: text({ nullable: true, readOnly: true, default: null, filter: true }),
      identifier: slug({
        max: 255,
        unique: 'Token with this identifier already exists.',
        filter: true,
        help: 'A name that identifies the token; unique.',
      }),
      intent: choice(tokenIntents, {
        default: 'api',
        filter: true,
        help: 'What the token is for: calls of the API, or signing in as an app password.',
      }),
      user: ref('svc_core.user', 'int', {
        default: (call) => requireActor(call).user.pk,
        help: 'The user that the token belongs to.',
      }),
      user_obj: nested('svc_core.user', 'user'),
      description: text({ blank: true, default: '', filter: true, help: 'A note on what uses the token.' }),
      expires: time({
        nullable: true,
        default: null,
        filter: true,
        help: 'When the token ends; the default lifetime applies if empty.',
      }),
      expiring: boolean({ default: true, filter: true, help: 'Turn off for a token that never ends.' }),
      application: ref(applicationModel, 'uuid', {
        nullable: true,
        default: null,
        filter: true,
        help: 'The only application that an app password opens; any if empty.',
      }),
      audience: text({ ...hidden, nullable: true, default: null }),
    },
    filters: { user__username: relatedFilter('user.username') },
    check: (input) => checkToken(input, needs),
    afterWrite: (input) => afterTokenWrite(input, needs),
    actions: [setKeyAction(needs.key)],
  });
}

/** A guessed key grants access: enforces the minimum length of the settings. */
const shortKeyComplaint = (key: string): string | null =>
  key.length < minKeyLength ? `Ensure this field has at least ${minKeyLength} characters.` : null;

/** Setting a key means acting as the token's owner: superusers only. */
const setKeyAction = (key: KeyNeeds) =>
  actionOn<{ pk: string }>()({
    name: 'set_key',
    on: 'row',
    method: 'POST',
    page: { button: 'Set the key' },
    summary: 'Set the key of a token',
    access: 'superuser',
    credentials: longLivedCredentials,
    recentAuthentication: true,
    body: {
      key: text({
        trim: false,
        strict: true,
        max: 4096,
        check: shortKeyComplaint,
        help: 'The new key.',
        isObvious: true,
      }),
    },
    bodySchema: 'TokenSetKeyRequest',
    answer: { status: 204 },
    async run({ tx, call, registry, row, values }) {
      const { rows } =
        await sql`select 1 from tokens where key_hash = ${key.hash(values.key)} and pk <> ${row.pk}`.execute(tx);
      if (rows.length > 0) throw Invalid.field('key', 'Token with this key already exists.');
      await storeKey(tx, key, row.pk, values.key);
      const model = modelFacts(registry.require('svc_core.token'), row.pk, row);
      await call.world.record(tx, call, {
        action: 'model_updated',
        app: 'svc_core',
        context: { model, diff: { key: { previous_value: masked, new_value: masked } } },
      });
    },
  });
