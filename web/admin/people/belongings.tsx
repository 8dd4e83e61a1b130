import type { AuthenticatedSession, Device, Token, User, UserConsent, UserSourceConnection } from '../../api/types.ts';
import { browserName } from '../../elements/browser-name.ts';
import { deviceKind, deviceKindName, deviceName } from '../../elements/device-kind.ts';
import { Moment } from '../../elements/moment.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';
import { countryOf, spelled } from '../labels.ts';
import { Belongings, type BelongingsProps } from './belongings-list.tsx';

interface Of {
  readonly person: User;
}

/** What is said of each kind. */
type Words = Pick<BelongingsProps<never>, 'none' | 'verb' | 'question'>;
const signedIn: Words = { none: 'Not signed in anywhere.', verb: 'Sign out', question: 'Sign out {name}?' };
const factors: Words = { none: 'No second factor.', verb: 'Remove', question: 'Remove {name}?' };
const keys: Words = { none: 'No tokens.', verb: 'Delete', question: 'Delete {name}?' };
const consents: Words = {
  none: 'This user has given no consents.',
  verb: 'Revoke',
  question: 'Revoke {name}?',
};
const accounts: Words = {
  none: 'Connected to no account elsewhere.',
  verb: 'Disconnect',
  question: 'Disconnect {name}?',
};

const sessionsPath = ({ username }: User): string =>
  `/core/authenticated_sessions/?${new URLSearchParams({ user__username: username, page_size: '100' })}`;

export function Sessions({ person }: Of) {
  return (
    <Belongings<AuthenticatedSession>
      from={sessionsPath(person)}
      pathOf={({ uuid, current }) => (current ? null : `/core/authenticated_sessions/${uuid}/`)}
      {...signedIn}
      show={({ uuid, user_agent, geo_ip, last_ip, last_used, current }) => {
        const name = browserName(user_agent);
        const place = [geo_ip?.city, geo_ip && countryOf(geo_ip.country)].filter(Boolean).join(t(', '));
        return {
          key: uuid,
          name,
          title: (
            <>
              {name} {current && <span className="tag">{t('This browser')}</span>}
            </>
          ),
          notes: (
            <>
              {place && `${place} · `}
              {last_ip} · <Rich text="used {when}" values={{ when: <Moment key="when" at={last_used} /> }} />
            </>
          ),
        };
      }}
    />
  );
}

export function Devices({ person }: Of) {
  return (
    <Belongings<Device>
      from={`/authenticators/admin/all/?user=${person.pk}`}
      pathOf={(device) => (deviceKind(device) ? `/authenticators/admin/${deviceKind(device)}/${device.pk}/` : null)}
      {...factors}
      show={(device) => ({
        key: `${device.meta_model_name} ${device.pk}`,
        name: deviceName(device),
        title: (
          <>
            {deviceName(device)} {!device.confirmed && <span className="tag">{t('Not confirmed')}</span>}
          </>
        ),
        notes: (
          <>
            {deviceKindName(device)} · {device.last_used ? <Moment at={device.last_used} /> : t('never used')}
          </>
        ),
      })}
    />
  );
}

export function Tokens({ person }: Of) {
  return (
    <Belongings<Token>
      from={`/core/tokens/?${new URLSearchParams({ user__username: person.username, page_size: '100' })}`}
      pathOf={({ identifier }) => `/core/tokens/${encodeURIComponent(identifier)}/`}
      {...keys}
      show={({ pk, identifier, intent, expires, expiring }) => ({
        key: pk,
        name: identifier,
        title: identifier,
        notes: (
          <>
            {spelled(intent)}
            {expiring && expires && (
              <>
                {' · '}
                <Rich text="expires {when}" values={{ when: <Moment key="when" at={expires} /> }} />
              </>
            )}
          </>
        ),
      })}
    />
  );
}

export function Consents({ person }: Of) {
  return (
    <Belongings<UserConsent>
      from={`/core/user_consent/?user=${person.pk}&page_size=100`}
      pathOf={({ pk }) => `/core/user_consent/${pk}/`}
      {...consents}
      show={({ pk, application, permissions }) => ({
        key: String(pk),
        name: application.name,
        title: application.name,
        notes: permissions,
      })}
    />
  );
}

export function Connections({ person }: Of) {
  const canDelete = useEntry('/sources/user_connections/all/')?.may.delete === 'all';
  return (
    <Belongings<UserSourceConnection>
      from={`/sources/user_connections/all/?user=${person.pk}&page_size=100`}
      pathOf={({ pk }) => (canDelete ? `/sources/user_connections/all/${pk}/` : null)}
      {...accounts}
      show={({ pk, source, created }) => ({
        key: String(pk),
        name: source.name,
        title: source.name,
        notes: <Rich text="connected {when}" values={{ when: <Moment key="when" at={created} /> }} />,
      })}
    />
  );
}
