import { apiFetch } from '../../api/call.ts';
import type { UserSetting, UserSourceConnection } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { PasswordField } from '../../elements/field.tsx';
import { type Loadable, Loaded, useAnswer } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { useToast } from '../../elements/toast.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { FormDialog } from '../form-dialog.tsx';
import { Listed, useListing } from '../listing.tsx';
import { returningTo } from '../navigation.tsx';
import { usePerson } from '../person.ts';
import { Picture } from '../picture.tsx';
import { Section } from '../section.tsx';

const path = '/sources/user_connections/all/';

/** The user's accounts at sources. */
export function Connections() {
  const { pk } = usePerson();
  const connections = useListing<UserSourceConnection>(`${path}?user=${pk}`);
  const settings = useAnswer<readonly UserSetting[]>('/sources/all/user_settings/');
  const done = useToast();

  async function disconnect(connection: UserSourceConnection): Promise<void> {
    await apiFetch('DELETE', `${path}${connection.pk}/`);
    await connections.reload();
    done(t('{name} is disconnected.', { name: connection.source.name }));
  }

  const { answer } = connections;
  const offered = settings.answer.state === 'ready' ? settings.answer.value : [];
  /** What was uploaded for the source, else the icon of its type. */
  const iconOf = ({ icon, slug }: UserSourceConnection['source']) =>
    icon ?? (offered.find(({ object_uid }) => object_uid === slug)?.icon_url || null);
  const connected = answer.state === 'ready' ? answer.value.rows.map(({ source }) => source.slug) : [];
  return (
    <Section title={t('Connected accounts')} intro={t('Accounts elsewhere with which you can sign in here.')}>
      <Listed listing={connections} empty={t('No accounts are connected.')}>
        {(rows) => (
          <ul className="rows">
            {rows.map((connection) => (
              <li key={connection.pk} className="rows-row">
                <Picture address={iconOf(connection.source)} name={connection.source.name} />
                <div className="rows-text">
                  <h2>{connection.source.name}</h2>
                  <p className="quiet small">
                    <Rich text="Connected {when}" values={{ when: <Moment at={connection.created} /> }} />
                  </p>
                </div>
                <ConfirmButton
                  about={connection.source.name}
                  question={t('Disconnect {name}?', { name: connection.source.name })}
                  consequence={t(
                    'You can no longer sign in with that account. Make sure that you have another way to sign in.',
                  )}
                  confirm={t('Disconnect')}
                  onConfirm={() => disconnect(connection)}
                >
                  {t('Disconnect')}
                </ConfirmButton>
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <Connectable
        settings={settings}
        connected={connected}
        onConnected={async (name) => {
          await connections.reload();
          done(t('{name} is connected.', { name }));
        }}
      />
    </Section>
  );
}

interface ConnectableProps {
  readonly settings: Loadable<readonly UserSetting[]>;
  /** Slugs of the sources that are already connected. */
  readonly connected: readonly string[];
  onConnected(name: string): Promise<void>;
}

function Connectable({ settings, connected, onConnected }: ConnectableProps) {
  return (
    <Loaded {...settings}>
      {(all) => {
        const left = all.filter(({ object_uid }) => !connected.includes(object_uid));
        if (left.length === 0) return null;
        return (
          <section className="stack" aria-labelledby="connectable">
            <h2 id="connectable">{t('Connect another')}</h2>
            <ul className="rows">
              {left.map((setting) => (
                <li key={setting.object_uid} className="rows-row">
                  <Picture address={setting.icon_url || null} name={setting.title} />
                  <h3 className="rows-text">{setting.title}</h3>
                  <Connect setting={setting} onConnected={() => onConnected(setting.title)} />
                </li>
              ))}
            </ul>
          </section>
        );
      }}
    </Loaded>
  );
}

/** A media server is connected with a token of the account there, all others by visiting them. */
function Connect({ setting, onConnected }: { setting: UserSetting; onConnected(): Promise<void> }) {
  const { component, configure_url, object_uid, title } = setting;
  if (component !== 'xak-user-settings-source-mediasrc')
    return (
      <a className="button button-plain" href={returningTo('connections', configure_url)}>
        {t('Connect')}
        <span className="visually-hidden"> {title}</span>
      </a>
    );

  async function redeem(form: FormData): Promise<void> {
    const slug = encodeURIComponent(object_uid);
    const body = { plex_token: form.get('plex_token') };
    await apiFetch('POST', `/sources/mediasrc/redeem_token_authenticated/?slug=${slug}`, body);
    await onConnected();
  }

  return (
    <FormDialog
      opener={t('Connect')}
      about={title}
      title={t('Connect {name}', { name: title })}
      submit={t('Connect')}
      onSubmit={redeem}
    >
      {(complaints) => (
        <PasswordField
          name="plex_token"
          label={t('Token')}
          hint={t('A token of your account with {name}. It shows that the account is yours.', { name: title })}
          required
          autoComplete="off"
          errors={complaints.plex_token}
        />
      )}
    </FormDialog>
  );
}
