import { trustedAttributeNames } from '../../../core/directory/trusted-attributes.ts';
import type { Settings } from '../../../core/settings/settings.ts';
import { nestPromptData } from '../../../flow/prompt-data.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { asObject } from '../../../lib/json.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { longLivedCredentials } from '../../../resource/access/credentials.ts';
import { type Call, requireActor } from '../../../resource/call.ts';
import { defineResource } from '../../../resource/define.ts';
import { orNull, stringSchema } from '../../../resource/document/json-schema.ts';
import { embedded, nested } from '../../../resource/fields/computed.ts';
import { hidden, type ReadContext } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, time } from '../../../resource/fields/scalar.ts';
import { json } from '../../../resource/fields/structured.ts';
import { slug, text } from '../../../resource/fields/text.ts';
import { relatedFilter } from '../../../resource/list/query.ts';
import type { Resource } from '../../../resource/resource.ts';
import { invitationLink, invitationModel, newToken, slugOfFlow } from './invitation-link.ts';
import { type MailInvitationNeeds, mailInvitationAction } from './mail-invitation.ts';

export interface InvitationNeeds extends MailInvitationNeeds {
  readonly settings: { current(): Promise<Settings> };
  readonly config: { readonly publicUrl: string };
}

/** Returned once, in the response that creates it; only its hash is stored. */
interface NewToken {
  readonly token: string;
  /** Null if there is no flow to link to. */
  readonly link: string | null;
}

/** Lets its holder pass an invitation stage, with preset values. */
export function invitationResource({ settings, config, ...mailing }: InvitationNeeds): Resource {
  const newTokens = new WeakMap<Call, NewToken>();
  const shownOnce = (name: keyof NewToken) => ({
    schema: orNull(stringSchema),
    optional: true,
    from: (_row: unknown, { call }: ReadContext) => newTokens.get(call)?.[name],
  });
  return defineResource({
    path: '/stages/invitation/invitations/',
    param: 'invite_uuid',
    key: 'uuid',
    model: invitationModel,
    schema: 'Invitation',
    names: ['Invitation', 'Invitations'],
    description:
      'Links by which people create their own account. Used and expired links are deleted; the events record them.',
    table: 'invitations',
    writtenWith: longLivedCredentials,
    order: ['-expires'],
    search: ['name', 'created_by.username', 'expires', 'flow.slug'],
    filters: {
      created_by__username: relatedFilter('created_by.username'),
      flow__slug: relatedFilter('flow.slug'),
    },
    fields: {
      name: slug({ filter: true, help: 'The name for administrators.' }),
      expires: time({
        nullable: true,
        filter: true,
        help: 'Until when it can be used; the default lifetime applies if empty.',
      }),
      fixed_data: json({
        default: () => ({}),
        help: 'Data that the invited person gets, such as attributes or a username.',
      }),
      created_by: embedded('svc_core.user', 'int', { view: 'member' }),
      single_use: boolean({ default: false, help: 'Whether the invitation can be used only once.' }),
      flow: ref('svc_flows.flow', 'uuid', {
        nullable: true,
        partOf: true,
        help: 'The one flow that accepts this invitation; any flow when empty.',
      }),
      flow_obj: nested('svc_flows.flow', 'flow'),
      token_hash: text({ ...hidden, nullable: true, default: null }),
      mailed_to: text({ ...hidden, nullable: true, default: null }),
    },
    derived: { token: shownOnce('token'), link: shownOnce('link') },
    async check({ call, tx, values, current }) {
      if (Object.keys(values.fixed_data ?? {}).some((name) => /password/i.test(name)))
        return { fixed_data: ['An invitation sets no password: people choose theirs.'] };
      const [vouching] = trustedAttributeNames(asObject(nestPromptData(values.fixed_data ?? {}).attributes));
      if (vouching !== undefined)
        return {
          fixed_data: [
            `An invitation cannot set the attribute ${vouching}, which vouches for the user: set it on the user afterwards.`,
          ],
        };
      if (!current) {
        values.created_by = requireActor(call).user.pk;
        const token = newToken();
        values.token_hash = mailing.key.hash(token);
        const slug = await slugOfFlow(tx, values.flow);
        newTokens.set(call, { token, link: slug === null ? null : invitationLink(config.publicUrl, slug, token) });
      }
      // Every invitation expires: without an explicit end it gets the default.
      if (values.expires === null) {
        const lifetime = parseDuration((await settings.current()).default_token_duration) ?? 0;
        values.expires = addMilliseconds(call.now, lifetime);
      }
      return null;
    },
    actions: [mailInvitationAction(mailing)],
  });
}
