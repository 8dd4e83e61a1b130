import { apiFetch } from '../../api/call.ts';
import type { AuthenticatedSession } from '../../api/types.ts';
import { browserName } from '../../elements/browser-name.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { ExactMoment, Moment } from '../../elements/moment.tsx';
import { useToast } from '../../elements/toast.tsx';
import { pageLocale } from '../../texts/page-language.ts';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';

const path = '/core/authenticated_sessions/';
const countryName = (code: string) => new Intl.DisplayNames([pageLocale()], { type: 'region' }).of(code) ?? code;

/** Where the user is signed in. */
export function Sessions() {
  const { username } = usePerson();
  const sessions = useListing<AuthenticatedSession>(
    `${path}?user__username=${encodeURIComponent(username)}&ordering=-last_used`,
  );
  const done = useToast();
  const { answer } = sessions;
  const hasOthers = answer.state === 'ready' && answer.value.rows.some(({ current }) => !current);

  async function end({ uuid }: AuthenticatedSession): Promise<void> {
    await apiFetch('DELETE', `${path}${uuid}/`);
    await sessions.reload();
    done(t('The session has ended.'));
  }

  async function endOthers(): Promise<void> {
    await apiFetch('POST', `${path}sign_out_everywhere/`, { keep_current: true });
    await sessions.reload();
    done(t('All other sessions have ended.'));
  }

  async function endAll(): Promise<void> {
    await apiFetch('POST', `${path}sign_out_everywhere/`);
    location.assign('/');
  }

  return (
    <Section
      title={t('Sessions')}
      intro={t(
        'All browsers that are signed in to your account. End sessions that you do not recognize, then change your password.',
      )}
      actions={
        <>
          {hasOthers && (
            <ConfirmButton
              look="plain"
              question={t('End all other sessions?')}
              consequence={t('Every browser but this one is signed out at once.')}
              confirm={t('End the others')}
              onConfirm={endOthers}
            >
              {t('End all others')}
            </ConfirmButton>
          )}
          <ConfirmButton
            look="plain"
            question={t('Sign out everywhere?')}
            consequence={t('Every session ends at once, this one too. You will have to sign in again on each device.')}
            confirm={t('Sign out everywhere')}
            onConfirm={endAll}
          >
            {t('Sign out everywhere')}
          </ConfirmButton>
        </>
      }
    >
      <Listed listing={sessions} empty={t('There are no sessions.')}>
        {(rows) => (
          <ul className="rows">
            {rows.map((session) => (
              <li key={session.uuid} className="rows-row">
                <div className="rows-text">
                  <h2>
                    {browserName(session.user_agent)}{' '}
                    {session.current && <span className="tag tag-good">{t('This session')}</span>}
                  </h2>
                  <p className="quiet small">{placeOf(session)}</p>
                  <p className="quiet small">
                    <Rich
                      text="Last used {used}, ends {ends}"
                      values={{ used: <Moment at={session.last_used} />, ends: <ExactMoment at={session.expires} /> }}
                    />
                  </p>
                </div>
                {!session.current && (
                  <ConfirmButton
                    about={t('session of {browser}', { browser: browserName(session.user_agent) })}
                    question={t('End this session?')}
                    consequence={t('{browser}, {place}, is signed out at once.', {
                      browser: browserName(session.user_agent),
                      place: placeOf(session),
                    })}
                    confirm={t('End session')}
                    onConfirm={() => end(session)}
                  >
                    {t('End')}
                  </ConfirmButton>
                )}
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}

function placeOf({ geo_ip, last_ip }: AuthenticatedSession): string {
  const country = geo_ip && countryName(geo_ip.country);
  return [geo_ip?.city, country, last_ip].filter(Boolean).join(', ');
}
