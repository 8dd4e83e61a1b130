import { apiFetch } from '../../api/call.ts';
import type { UserConsent } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { ExactMoment } from '../../elements/moment.tsx';
import { useToast } from '../../elements/toast.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Picture } from '../picture.tsx';
import { Section } from '../section.tsx';

const path = '/core/user_consent/';

/** What the user has allowed applications to access. */
export function Consents() {
  const { pk } = usePerson();
  const consents = useListing<UserConsent>(`${path}?user=${pk}`);
  const done = useToast();

  async function revoke(consent: UserConsent): Promise<void> {
    await apiFetch('DELETE', `${path}${consent.pk}/`);
    await consents.reload();
    done(t('{name} has to ask you again.', { name: consent.application.name }));
  }

  return (
    <Section title={t('Consents')} intro={t('What applications may know about you or do on your behalf.')}>
      <Listed listing={consents} empty={t('You have no saved consents.')}>
        {(rows) => (
          <ul className="rows">
            {rows.map((consent) => (
              <li key={consent.pk} className="rows-row">
                <Picture address={consent.application.meta_icon} name={consent.application.name} />
                <div className="rows-text">
                  <h2>{consent.application.name}</h2>
                  <Permissions text={consent.permissions} />
                  <p className="quiet small">
                    {consent.expiring && consent.expires ? (
                      <Rich text="Until {when}" values={{ when: <ExactMoment at={consent.expires} /> }} />
                    ) : (
                      t('Until you revoke it')
                    )}
                  </p>
                </div>
                <ConfirmButton
                  about={t('the consent for {name}', { name: consent.application.name })}
                  question={t('Revoke your consent for {name}?', { name: consent.application.name })}
                  consequence={t('It will ask you again the next time you sign in there.')}
                  confirm={t('Revoke')}
                  onConfirm={() => revoke(consent)}
                >
                  {t('Revoke')}
                </ConfirmButton>
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}

function Permissions({ text }: { text: string }) {
  const scopes = text.split(' ').filter(Boolean);
  if (scopes.length === 0) return <p className="small">{t('To be signed in there')}</p>;
  return (
    <ul className="tags" aria-label={t('Permissions')}>
      {scopes.map((scope) => (
        <li key={scope} className="tag">
          {scope}
        </li>
      ))}
    </ul>
  );
}
