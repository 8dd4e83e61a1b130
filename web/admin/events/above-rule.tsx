import type { PaginatedPolicyBindingList, PolicyBinding } from '../../api/types.ts';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { usePart } from '../api/pages.ts';
import type { BannerProps } from '../resource-page.ts';
import { shippedLabel } from '../shipped-labels.ts';

/** A notification rule in one sentence: when, whom, and by what. */
export function AboveRule({ object }: BannerProps) {
  const { answer } = usePart<PaginatedPolicyBindingList>(
    `/policies/bindings/?target=${object.pk}&enabled=true&ordering=order&page_size=100`,
  );
  return answer.state === 'ready' ? <p className="card">{sentenceOf(object, answer.value.results)}</p> : null;
}

function sentenceOf({ row, names }: BannerProps['object'], bindings: readonly PolicyBinding[]): string {
  const policies = bindings.flatMap(({ policy_obj, negate }) => {
    if (!policy_obj) return [];
    const name = shippedLabel(policy_obj.name) ?? policy_obj.name;
    return negate ? t('not {name}', { name }) : name;
  });
  const group = names('svc_core.group', row.group)?.name;
  const transports = [row.transports ?? []]
    .flat()
    .flatMap((key) => names('svc_events.notificationtransport', key)?.label ?? []);
  if (policies.length === 0) return t('It sends nothing yet: bind a policy that selects events.');
  if (!group) return t('It sends nothing yet: choose a group to notify.');
  return t('When an event passes {policies}, notify {group} by {transports}.', {
    policies: listed(policies, row.policy_engine_mode === 'all' ? 'conjunction' : 'disjunction'),
    group,
    transports: listed(transports.length > 0 ? transports : [t('the web interface')], 'conjunction'),
  });
}

const listed = (names: readonly string[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat(pageLocale(), { type }).format(names);
