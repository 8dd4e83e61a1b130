import { type Declaration, type Family, readVerbs, type Verb } from '../../resource/define.ts';
import type { Fields } from '../../resource/fields/field.ts';
import { ref } from '../../resource/fields/ref.ts';
import { flag, time } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import { defineResource, type Resource } from '../../resource/resource.ts';

const hidden = { readOnly: true, writeOnly: true } as const;

/** What every device has that somebody proves themselves with. Whose it is never changes. */
export const deviceFamily: Family = {
  model: 'svc_core.device',
  table: 'devices',
  fields: {
    user: ref('svc_core.user', 'int', hidden),
    name: text({ max: 64, filter: true, help: 'What the owner calls it.' }),
    confirmed: flag({ ...hidden, default: false }),
    created: time({ ...hidden, default: (call: { now: string }) => call.now }),
    last_updated: time({ ...hidden, onWrite: (call) => call.now }),
    last_used: time({ ...hidden, nullable: true }),
  },
};

/** The same rows as their owners see them and as administrators do. */
export interface DeviceDoors {
  readonly own: Resource;
  readonly admin: Resource;
}

type DeviceDeclaration = Pick<Declaration, 'model' | 'schema' | 'names' | 'table' | 'fields'> & {
  /** The last part of its paths: `totp`. */
  readonly segment: string;
  /** For what an administrator makes: the rest of the row. */
  readonly check?: Declaration['check'];
};

const ownVerbs: readonly Verb[] = [...readVerbs, 'update', 'partial_update', 'destroy'];
const adminVerbs: readonly Verb[] = ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy'];

// Given when the device is made and never again: whoever could change it could sign in as anyone.
const chosenOwner: Fields = {
  user: ref('svc_core.user', 'int', {
    writeOnly: true,
    default: (call: { actor: { user: { pk: number } } | null }) => call.actor?.user.pk,
    help: 'Whose it is; the caller’s own unless said otherwise. Only taken when the device is made.',
  }),
};

/** One kind of device. People get theirs by flows; here they name them and give them up. */
export function defineDevice({ segment, check, ...kind }: DeviceDeclaration): DeviceDoors {
  const common = { ...kind, param: 'id', key: 'int', family: deviceFamily, order: ['name'], search: ['name'] } as const;
  return {
    own: defineResource({
      ...common,
      path: `/authenticators/${segment}/`,
      verbs: ownVerbs,
      visibility: { by: 'owner', column: 'user', write: 'only owner' },
    }),
    admin: defineResource({
      ...common,
      path: `/authenticators/admin/${segment}/`,
      fields: { ...kind.fields, ...chosenOwner },
      verbs: adminVerbs,
      visibility: { by: 'superuser' },
      isSecondDoor: true,
      async check(input) {
        const { values, current } = input;
        if (current && values.user !== current.user) return { user: ['The owner of a device cannot be changed.'] };
        return (await check?.(input)) ?? null;
      },
    }),
  };
}
