import type { ReactNode } from 'react';
import type { EventFacets } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { hereWith, useAddress } from '../address.ts';
import { actionName, atLeast, numberText } from '../labels.ts';
import { Link } from '../link.tsx';
import { ClientAddress } from './client-address.tsx';
import { anonymousName, type FacetValue } from './event.ts';

/** The most frequent values; each is a filter that can be switched on and off. */
export function FacetLists({ facets }: { facets: EventFacets }) {
  const of = (member: 'actions' | 'applications' | 'usernames' | 'client_ips') => ({
    values: facets[member],
    isAtLeast: facets.at_least.includes(member),
  });
  return (
    <div className="facets">
      <FacetList title={t('Action')} name="action" {...of('actions')} say={actionName} />
      <FacetList title={t('Application')} name="context_authorized_app" {...of('applications')} />
      <FacetList
        title={t('Person')}
        name="username"
        {...of('usernames')}
        say={(username) => (username === anonymousName ? t('Not signed in') : username)}
      />
      <FacetList
        title={t('Client address')}
        name="client_ip"
        {...of('client_ips')}
        say={(address) => <ClientAddress address={address} />}
      />
    </div>
  );
}

interface Props {
  readonly title: string;
  readonly name: string;
  readonly values: readonly FacetValue[];
  readonly isAtLeast: boolean;
  say?(label: string): ReactNode;
}

function FacetList({ title, name, values, isAtLeast, say = (label) => label }: Props) {
  const { query } = useAddress();
  const chosen = query.get(name);
  const all =
    chosen && !values.some(({ value }) => value === chosen)
      ? [{ value: chosen, label: chosen, events: 0 }, ...values]
      : values;
  if (all.length === 0) return null;
  return (
    <section aria-labelledby={`facet-${name}`}>
      <h2 id={`facet-${name}`} className="facet-title">
        {title}
      </h2>
      <ul className="facet">
        {all.map(({ value, label, events }) => (
          <li key={value}>
            <Link
              href={hereWith({ [name]: value === chosen ? null : value, page: null })}
              aria-current={value === chosen ? 'true' : undefined}
            >
              <span>{say(label)}</span>
              <span className="small">{atLeast(numberText(events), isAtLeast)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
