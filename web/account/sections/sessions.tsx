import { callAsPerson } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { ExactMoment, Moment } from '../../elements/moment.tsx';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';

interface Session {
  readonly uuid: string;
  readonly current: boolean;
  readonly user_agent: {
    readonly device: { readonly family: string };
    readonly os: { readonly family: string; readonly major: string };
    readonly user_agent: { readonly family: string; readonly major: string };
  };
  readonly geo_ip: { readonly city: string; readonly country: string } | null;
  readonly last_ip: string;
  readonly last_used: string;
  readonly expires: string;
}

const path = '/core/authenticated_sessions/';
const countries = new Intl.DisplayNames(undefined, { type: 'region' });

/** Where the user is signed in. */
export function Sessions() {
  const { username } = usePerson();
  const sessions = useListing<Session>(`${path}?user__username=${encodeURIComponent(username)}&ordering=-last_used`);
  const done = useDone();

  async function end({ uuid }: Session): Promise<void> {
    await callAsPerson('DELETE', `${path}${uuid}/`);
    await sessions.reload();
    done('The session has ended.');
  }

  async function endOthers(): Promise<void> {
    await callAsPerson('POST', `${path}sign_out_everywhere/`, { keep_current: true });
    await sessions.reload();
    done('All other sessions have ended.');
  }

  async function endAll(): Promise<void> {
    await callAsPerson('POST', `${path}sign_out_everywhere/`);
    location.assign('/');
  }

  return (
    <Section
      title="Sessions"
      intro="Every browser that is signed in as you. End those that you do not know, and change your password then."
      actions={
        <>
          <ConfirmButton
            look="plain"
            question="End all other sessions?"
            consequence="Every browser but this one is signed out at once."
            confirm="End the others"
            onConfirm={endOthers}
          >
            End all others
          </ConfirmButton>
          <ConfirmButton
            look="plain"
            question="Sign out everywhere?"
            consequence="Every session ends at once, this one too. You will have to sign in again on each device."
            confirm="Sign out everywhere"
            onConfirm={endAll}
          >
            Sign out everywhere
          </ConfirmButton>
        </>
      }
    >
      <Listed listing={sessions} empty="There are no sessions.">
        {(rows) => (
          <ul className="rows">
            {rows.map((session) => (
              <li key={session.uuid} className="rows-row">
                <div className="rows-text">
                  <h2>
                    {browserOf(session)} {session.current && <span className="tag tag-good">This session</span>}
                  </h2>
                  <p className="quiet small">{placeOf(session)}</p>
                  <p className="quiet small">
                    Last used <Moment at={session.last_used} />, ends <ExactMoment at={session.expires} />
                  </p>
                </div>
                {!session.current && (
                  <ConfirmButton
                    about={`session of ${browserOf(session)}`}
                    question="End this session?"
                    consequence={`${browserOf(session)}, ${placeOf(session)}, is signed out at once.`}
                    confirm="End session"
                    onConfirm={() => end(session)}
                  >
                    End
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

function browserOf({ user_agent: { user_agent, os } }: Session): string {
  const browser = user_agent.family === 'Other' ? 'Unknown browser' : `${user_agent.family} ${user_agent.major}`.trim();
  return os.family === 'Other' ? browser : `${browser} on ${os.family}`;
}

function placeOf({ geo_ip, last_ip }: Session): string {
  const country = geo_ip && (countries.of(geo_ip.country) ?? geo_ip.country);
  return [geo_ip?.city, country, last_ip].filter(Boolean).join(', ');
}
