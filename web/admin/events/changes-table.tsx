import { useCallback } from 'react';
import { isObject } from '../../api/is-object.ts';
import { useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { type Names, readNames } from '../api/objects.ts';
import { spelled } from '../labels.ts';

type Diff = Readonly<Record<string, unknown>>;

interface Change {
  readonly previous_value?: unknown;
  readonly new_value?: unknown;
  readonly add?: unknown;
  readonly remove?: unknown;
}

/** Members that hold keys of objects; events do not say of which model. */
const modelOf: Readonly<Record<string, string>> = {
  users: 'svc_core.user',
  user: 'svc_core.user',
  groups: 'svc_core.group',
  group: 'svc_core.group',
  parent: 'svc_core.group',
  roles: 'svc_rbac.role',
  provider: 'svc_core.provider',
  providers: 'svc_core.provider',
  backchannel_providers: 'svc_core.provider',
  application: 'svc_core.application',
  source: 'svc_core.source',
  sources: 'svc_core.source',
  stage: 'svc_flows.stage',
  policy: 'svc_policies.policy',
  property_mappings: 'svc_core.propertymapping',
  property_mappings_group: 'svc_core.propertymapping',
  user_property_mappings: 'svc_core.propertymapping',
  group_property_mappings: 'svc_core.propertymapping',
  target: 'svc_policies.policybindingmodel',
  authentication_flow: 'svc_flows.flow',
  authorization_flow: 'svc_flows.flow',
  invalidation_flow: 'svc_flows.flow',
  enrollment_flow: 'svc_flows.flow',
  signing_key: 'svc_crypto.certificatekeypair',
  signing_kp: 'svc_crypto.certificatekeypair',
  verification_kp: 'svc_crypto.certificatekeypair',
  encryption_kp: 'svc_crypto.certificatekeypair',
  transports: 'svc_events.notificationtransport',
};

/** Some members of these names hold other texts, such as the provider of an SMS stage. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const changeOf = (change: unknown): Change => (isObject(change) ? change : {});

/** What an event changed, before and after. */
export function ChangesTable({ diff }: { diff: Diff }) {
  const names = useNamesIn(diff);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
    <section className="table-frame scrolled" tabIndex={0} aria-label={t('What changed')}>
      <table className="table comparison">
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            <th scope="col">{t('Before')}</th>
            <th scope="col">{t('After')}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(diff).map(([field, change]) => {
            const { previous_value, new_value, add, remove } = changeOf(change);
            const named = (value: unknown) => shown(value, (key) => names(modelOf[field], key)?.label);
            return (
              <tr key={field}>
                <th scope="row">{spelled(field)}</th>
                <td className="event-before">{named(previous_value ?? remove)}</td>
                <td className="event-after">{named(new_value ?? add)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/**
 * The names of the objects, as far as they still exist and the caller may see them; without them the keys are shown.
 */
function useNamesIn(diff: Diff): Names {
  const { answer } = useLoadable(useCallback(() => readNames(keysIn(diff)), [diff]));
  return answer.state === 'ready' ? answer.value : () => undefined;
}

const keysIn = (diff: Diff): string[] =>
  Object.entries(diff).flatMap(([field, change]) => {
    const keys = Object.values(changeOf(change))
      .flat()
      .filter((key) => typeof key === 'number' || (typeof key === 'string' && uuid.test(key)));
    return modelOf[field] && keys.length > 0 ? [`${modelOf[field]}:${keys.join(',')}`] : [];
  });

function shown(value: unknown, nameOf: (key: unknown) => string | undefined): string {
  if (value === null || value === undefined || value === '') return '–';
  const items = [value].flat();
  if (items.every((one) => nameOf(one) !== undefined)) return items.map(nameOf).join(t(', ')) || '–';
  if (typeof value === 'boolean') return t(value ? 'Yes' : 'No');
  if (items.every((one) => typeof one === 'string')) return items.join(t(', '));
  return JSON.stringify(value);
}
