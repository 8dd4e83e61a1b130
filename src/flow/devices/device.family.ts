import { inPerson } from '../../resource/access/credentials.ts';
import { requireActor } from '../../resource/call.ts';
import { defineResource } from '../../resource/define.ts';
import { type Fields, hidden, type Row } from '../../resource/fields/field.ts';
import { ref } from '../../resource/fields/ref.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import type { StoredRow } from '../../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../../resource/resource.ts';
import { readVerbs, type Verb } from '../../resource/verb.ts';

/**
 * The members common to all devices. The owner never changes: otherwise a caller could move a device and sign in as
 * another user. A device that was not created by a flow is the caller's own, and proves nothing until it is confirmed.
 */
export const deviceFamily = {
  model: 'svc_core.device',
  table: 'devices',
  fields: {
    user: ref('svc_core.user', 'int', { ...hidden, default: (call) => requireActor(call).user.pk }),
    name: text({ max: 64, filter: true, help: 'The name that the owner gave it.' }),
    confirmed: boolean({ ...hidden, default: false }),
    created: time({ ...hidden, default: ({ now }) => now }),
    last_updated: time({ ...hidden, onWrite: ({ now }) => now }),
    last_used: time({ ...hidden, nullable: true }),
  },
} satisfies Family;

/** The same rows as seen by their owners and by administrators. */
export interface DeviceResources<R = Row> {
  readonly own: Resource<R>;
  readonly admin: Resource<R>;
}

export type DeviceFields = typeof deviceFamily.fields;

type DeviceDeclaration<F extends Fields> = Omit<KindDeclaration<F, DeviceFields, 'int'>, 'path'> & {
  /** The last segment of its paths: `totp`. */
  readonly segment: string;
};

const ownVerbs: readonly Verb[] = [...readVerbs, 'update', 'partial_update', 'destroy'];
const adminVerbs: readonly Verb[] = ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy'];

/** A kind of device. People enrol devices through flows; here they rename and delete them. */
export function defineDevice<F extends Fields>({
  segment,
  ...kind
}: DeviceDeclaration<F>): DeviceResources<StoredRow<F, DeviceFields, 'int'>> {
  const common = {
    ...kind,
    param: 'id',
    key: 'int',
    family: deviceFamily,
    order: ['name'],
    search: ['name'],
    page: { notInSearch: 'It belongs to a person, whose page shows it.' },
  } as const;
  return {
    own: defineResource({
      ...common,
      path: `/authenticators/${segment}/`,
      verbs: ownVerbs,
      visibility: { by: 'owner', column: 'user', write: 'only owner' },
      // A stolen token must not remove a second factor.
      writtenWith: inPerson,
      recentAuthentication: { destroy: true },
    }),
    admin: defineResource({
      ...common,
      path: `/authenticators/admin/${segment}/`,
      verbs: adminVerbs,
      visibility: { by: 'superuser' },
      recentAuthentication: { create: true, update: true, partial_update: true, destroy: true },
      isAlternate: true,
    }),
  };
}
