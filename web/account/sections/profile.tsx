import './profile.css';
import { useDone } from '../../elements/announcing.tsx';
import { useBrand } from '../../page/mount-page.tsx';
import { FlowForm } from '../flow-form.tsx';
import { pathOf } from '../navigation.tsx';
import { usePerson, useReloadPerson } from '../person.ts';
import { Section } from '../section.tsx';

/** The user's profile. */
export function Profile() {
  const { avatar, username, name, email, groups } = usePerson();
  const { flow_user_settings } = useBrand();
  const reloadPerson = useReloadPerson();
  const done = useDone();
  const facts = [
    ['Username', username],
    ['Name', name],
    ['E-mail', email],
    ['Groups', groups.map((group) => group.name).join(', ')],
  ] as const;
  return (
    <Section title="Profile">
      <div className="card profile">
        <img src={avatar} alt="" width="64" height="64" />
        <dl className="facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value || <span className="quiet">none</span>}</dd>
            </div>
          ))}
        </dl>
      </div>
      {flow_user_settings && (
        <section className="stack" aria-labelledby="change-profile">
          <h2 id="change-profile">Change your profile</h2>
          <FlowForm
            slug={flow_user_settings}
            returnTo={pathOf('profile')}
            submit="Save"
            onEnd={async () => {
              await reloadPerson();
              done('Your profile is saved.');
            }}
          />
        </section>
      )}
    </Section>
  );
}
