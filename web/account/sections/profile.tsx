import { t } from '../../texts/texts.ts';
import './profile.css';
import { useEffect, useState } from 'react';
import { useToast } from '../../elements/toast.tsx';
import { useBrand } from '../../page/mount-page.tsx';
import { FlowForm } from '../flow-form.tsx';
import { pathOf } from '../navigation.tsx';
import { usePerson, useReloadPerson } from '../person.ts';
import { Section } from '../section.tsx';

/** The user's profile. */
export function Profile() {
  const { avatar, username, name, email, groups, settings } = usePerson();
  const [locale] = useState(settings.locale ?? '');
  const isLanguageChanged = (settings.locale ?? '') !== locale;
  useEffect(() => {
    // The document says in which language the page is.
    if (isLanguageChanged) location.reload();
  }, [isLanguageChanged]);
  const { flow_user_settings } = useBrand();
  const reloadPerson = useReloadPerson();
  const done = useToast();
  const facts = [
    [t('Username'), username],
    [t('Name'), name],
    [t('Email'), email],
    [t('Groups'), groups.map((group) => group.name).join(', ')],
  ] as const;
  return (
    <Section title={t('Profile')}>
      <div className="card profile">
        <img src={avatar} alt="" width="64" height="64" />
        <dl className="facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value ? <bdi>{value}</bdi> : <span className="quiet">{t('none')}</span>}</dd>
            </div>
          ))}
        </dl>
      </div>
      {flow_user_settings && (
        <section className="stack" aria-labelledby="change-profile">
          <h2 id="change-profile">{t('Change your profile')}</h2>
          <FlowForm
            slug={flow_user_settings}
            returnTo={pathOf('profile')}
            submit={t('Save')}
            onEnd={async () => {
              await reloadPerson();
              done(t('Your profile is saved.'));
            }}
          />
        </section>
      )}
    </Section>
  );
}
