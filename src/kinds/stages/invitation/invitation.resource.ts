import { sql } from 'kysely';
import type { Settings } from '../../../core/settings/settings.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { requireActor } from '../../../resource/call.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { flag, time } from '../../../resource/fields/scalar.ts';
import { computed, embedded, nested } from '../../../resource/fields/shown.ts';
import { json } from '../../../resource/fields/structured.ts';
import { slug } from '../../../resource/fields/text.ts';
import { orNull, stringSchema } from '../../../resource/json-schema.ts';
import { relatedFilter } from '../../../resource/query.ts';
import { defineResource, type Resource } from '../../../resource/resource.ts';

export interface InvitationNeeds {
  readonly settings: { current(): Promise<Settings> };
  readonly config: { readonly publicUrl: string };
}

/** Lets somebody through an invitation stage, with values that are set for them beforehand. */
export function invitationResource({ settings, config }: InvitationNeeds): Resource {
  return defineResource({
    path: '/stages/invitation/invitations/',
    param: 'invite_uuid',
    key: 'uuid',
    model: 'svc_stages_invitation.invitation',
    schema: 'Invitation',
    names: ['Invitation', 'Invitations'],
    table: 'invitations',
    order: ['-expires'],
    search: ['name', 'created_by.username', 'expires', 'flow.slug'],
    filters: {
      created_by__username: relatedFilter('created_by.username'),
      flow__slug: relatedFilter('flow.slug'),
    },
    fields: {
      name: slug({ filter: true }),
      expires: time({ nullable: true, filter: true }),
      fixed_data: json({ default: () => ({}) }),
      created_by: embedded('svc_core.user', 'int', { view: 'member' }),
      single_use: flag({ default: false, help: 'Whether the invitation is gone once somebody has used it.' }),
      flow: ref('svc_flows.flow', 'uuid', {
        nullable: true,
        help: 'The one flow that accepts this invitation; any flow when empty.',
      }),
      flow_obj: nested('svc_flows.flow', 'flow'),
      // Without a flow of its own an invitation is good for any, so that there is no one address.
      link: computed(
        orNull(stringSchema),
        (row) => sql`(select ${`${config.publicUrl}/if/flow/`} || f.slug || '/?itoken=' || ${row.col('pk')}
          from flows f where f.pk = ${row.col('flow')})`,
      ),
    },
    async check({ call, values, current }) {
      if (!current) values.created_by = requireActor(call).user.pk;
      // No invitation is good for ever: one without an end gets the usual one.
      if (values.expires === null) {
        const lifetime = parseDuration((await settings.current()).default_token_duration) ?? 0;
        values.expires = addMilliseconds(call.now, lifetime);
      }
      return null;
    },
  });
}
