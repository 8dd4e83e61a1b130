import type { PaginatedPolicyBindingList, PolicyBinding } from '../../api/types.ts';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import './access.css';
import { apiFetch } from '../../api/call.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { hrefOf } from '../address.ts';
import { useEntry } from '../api/interface.ts';
import { lostWords } from '../flows/gate-words.tsx';
import { Link } from '../link.tsx';
import { AllOf } from '../parts/all-of.tsx';
import { AddBinding } from './add-binding.tsx';

interface Props {
  readonly target: string;
  readonly mode: 'any' | 'all';
  readonly canChange: boolean;
  /** Whether the bindings decide about events instead of people. */
  readonly isForEvents?: boolean;
  /** Shown when there are none. */
  readonly open: string;
}

const rules = {
  any: 'One of these must allow access.',
  all: 'All of these must allow access.',
} as const;

const eventsRule = 'It notifies of the events that one of these policies lets pass.';

/** The bindings of a target, with forms to add and remove them. One request. */
export function BindingList({ target, mode, canChange, isForEvents = false, open }: Props) {
  const may = useEntry('/policies/bindings/')?.may;
  const done = useToast();
  const from = `/policies/bindings/?target=${target}&ordering=order&page_size=100`;
  const read = useAnswer<PaginatedPolicyBindingList>(from);
  return (
    <Loaded {...read}>
      {({ results, pagination }) => {
        const active = results.filter(({ enabled }) => enabled);
        return (
          <>
            {active.length === 0 ? (
              <Notice tone="plain">{open}</Notice>
            ) : (
              <p>{t(isForEvents ? eventsRule : rules[mode])}</p>
            )}
            {results.length > 0 && (
              <ul className="rows" aria-label={t('Bindings')}>
                {results.map((binding) => (
                  <li key={binding.pk} className="rows-row">
                    <div className="rows-text">
                      <p>
                        <BindingWords binding={binding} isForEvents={isForEvents} />
                      </p>
                      {!binding.enabled && <p className="quiet small">{t('Turned off')}</p>}
                    </div>
                    <div className="row">
                      <Link className="button button-quiet" href={hrefOf(`/policies/bindings/${binding.pk}/`)}>
                        {t('Details')}
                        <span className="visually-hidden"> {t('of {name}', { name: nameOf(binding) })}</span>
                      </Link>
                      {canChange && may?.delete === 'all' && (
                        <ConfirmButton
                          about={nameOf(binding)}
                          question={t('Remove {name}?', { name: nameOf(binding) })}
                          consequence={
                            <p>
                              {active.length === 1 && binding.enabled
                                ? `${t('It is the last one.')} ${open}`
                                : t('The other bindings still decide.')}
                            </p>
                          }
                          confirm={t('Remove')}
                          onConfirm={async () => {
                            await apiFetch('DELETE', `/policies/bindings/${binding.pk}/`);
                            await read.reload();
                            done(t('{name} is removed.', { name: nameOf(binding) }));
                          }}
                        >
                          {t('Remove')}
                        </ConfirmButton>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            )}
            <AllOf from={from} shown={results.length} count={pagination.count} />
            {canChange && may?.add === 'all' && (
              <AddBinding
                target={target}
                order={Math.max(-1, ...results.map(({ order }) => order)) + 1}
                isForEvents={isForEvents}
                onAdded={read.reload}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const nameOf = ({ policy_obj, group_obj, user_obj }: PolicyBinding): string =>
  policy_obj?.name ?? group_obj?.name ?? user_obj?.username ?? t('the binding');

/** Whom a binding lets in. */
export function BindingWords({ binding, isForEvents = false }: { binding: PolicyBinding; isForEvents?: boolean }) {
  const { policy, group, user, negate } = binding;
  const name = nameOf(binding);
  const said = (text: Text, href: string) => (
    <Rich text={text} values={{ name, a: (words) => <Link href={href}>{words}</Link> }} />
  );
  if (group)
    return said(
      negate ? 'Everybody but members of <a>{name}</a>' : 'Members of <a>{name}</a>',
      hrefOf(`/core/groups/${group}/`),
    );
  if (user)
    return said(negate ? 'Everybody but <a>{name}</a>' : 'The person <a>{name}</a>', hrefOf(`/core/users/${user}/`));
  if (!policy) return t(lostWords(negate));
  const policies = hrefOf('/policies/all/', { search: name });
  if (isForEvents)
    return said(
      negate ? 'Events that the policy <a>{name}</a> turns away' : 'Events that the policy <a>{name}</a> lets pass',
      policies,
    );
  return said(
    negate ? 'Everybody whom the policy <a>{name}</a> turns away' : 'Everybody whom the policy <a>{name}</a> lets pass',
    policies,
  );
}
