import { useBrand } from '../../page/mount-page.tsx';
import { pathOf } from '../navigation.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';

/** What is known of the person. */
export function Profile() {
  const { avatar, username, name, email, groups } = usePerson();
  const { flow_user_settings } = useBrand();
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
        <p>
          <a
            className="button button-primary"
            href={`/if/flow/${encodeURIComponent(flow_user_settings)}/?next=${encodeURIComponent(pathOf('profile'))}`}
          >
            Change
          </a>
        </p>
      )}
    </Section>
  );
}
