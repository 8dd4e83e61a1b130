import { useId } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { ReadyMadeFlow, SignInSwitches } from '../../api/types.ts';
import { type Loadable, Loaded } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { flowsPath } from './design.ts';
import { Places } from './places.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';

const path = '/flows/ready_made/';

const words: Readonly<Record<ReadyMadeFlow['name'], { title: Text; about: Text; places: Text }>> = {
  recovery: {
    title: 'Password recovery',
    about: 'The sign-in page offers “Forgot your password?”. A link by mail lets people choose a new one.',
    places: 'Brands',
  },
  invitation: {
    title: 'Enrollment by invitation',
    about: 'People whom you invite create their own account. Nobody can without an invitation.',
    places: 'Flow',
  },
  registration: {
    title: 'Enrollment for everybody',
    about:
      'The sign-in page offers “Create an account” to everybody. A link by mail confirms their address before the account is made.',
    places: 'Stages',
  },
  passkey: {
    title: 'Sign-in with a passkey first',
    about: 'The sign-in page offers passkeys before it asks for a password.',
    places: 'Stages',
  },
  consent: {
    title: 'Consent for applications',
    about: 'People are asked before an application gets their data. Your own applications need no question.',
    places: 'Applications',
  },
  proof: {
    title: 'Sign-up proof',
    about:
      'People with an invitation prove their address by a link by mail before they create their account. Enrollment for everybody always asks for that.',
    places: 'Flow',
  },
};

/** Ready-made flows, each with a switch. */
export function ReadyMade({ read }: { read: Loadable<SignInSwitches> }) {
  return (
    <section className="stack-tight" aria-label={t('Ready-made flows')}>
      <Loaded {...read}>
        {({ ready_made, second_factor }) => (
          <ul className="tiles ready-made-list">
            {ready_made.map((flow) => (
              <ReadyMadeCard key={flow.name} flow={flow} reload={read.reload} />
            ))}
            <SecondFactorCard key={JSON.stringify(second_factor)} stored={second_factor} reload={read.reload} />
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function ReadyMadeCard({ flow, reload }: { flow: ReadyMadeFlow; reload(): Promise<void> }) {
  const { name, is_on, places } = flow;
  const { title, about, places: kind } = words[name];
  const id = useId();
  const { isBusy, problem, attempt } = useAttempt();
  const turn = () =>
    attempt(async () => {
      await apiFetch('PUT', `${path}${name}/`, { is_on: !is_on });
      await reload();
    });
  return (
    <li className="card stack-tight ready-made">
      <div className="ready-made-head">
        <h2 id={id}>{t(title)}</h2>
        <button
          type="button"
          role="switch"
          className="switch"
          aria-checked={is_on}
          aria-labelledby={id}
          aria-busy={isBusy || undefined}
          onClick={turn}
        >
          <span aria-hidden="true">{is_on ? t('On') : t('Off')}</span>
        </button>
      </div>
      <p>{t(about)}</p>
      <Places label={t(kind)} places={places} />
      {problem && <Notice tone="bad">{problem}</Notice>}
      {flow.flow !== null && !places.some(({ path }) => path === `${flowsPath}${flow.flow}/`) && (
        <p className="small">
          <Link href={hrefOf(`${flowsPath}${flow.flow}/`)}>
            {t('Open the flow')}
            <span className="visually-hidden">: {t(title)}</span>
          </Link>
        </p>
      )}
    </li>
  );
}
