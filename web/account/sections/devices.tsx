import { apiFetch } from '../../api/call.ts';
import type { Device, UserSetting } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { deviceKind, deviceKindName, deviceName } from '../../elements/device-kind.ts';
import { TextField } from '../../elements/field.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { Rich } from '../../texts/rich.tsx';
import { known, t } from '../../texts/texts.ts';
import { FormDialog } from '../form-dialog.tsx';
import { Empty } from '../listing.tsx';
import { returningTo } from '../navigation.tsx';
import { Section } from '../section.tsx';

const addressOf = (device: Device): string => `/authenticators/${deviceKind(device)}/${device.pk}/`;
const isDevice = ({ component }: UserSetting): boolean => component.startsWith('xak-user-settings-authenticator-');

/** The user's second factors. */
export function Devices() {
  const devices = useAnswer<readonly Device[]>('/authenticators/all/');
  const settings = useAnswer<readonly UserSetting[]>('/stages/all/user_settings/');
  const done = useToast();

  async function rename(device: Device, form: FormData): Promise<void> {
    await apiFetch('PATCH', addressOf(device), { name: form.get('name') });
    await devices.reload();
  }

  async function remove(device: Device): Promise<void> {
    await apiFetch('DELETE', addressOf(device));
    await devices.reload();
    done(t('{name} is deleted.', { name: deviceName(device) }));
  }

  return (
    <Section title={t('Devices')} intro={t('Ways to sign in besides your password.')}>
      <Loaded {...devices}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              {t(
                'You have no devices yet. A second factor protects your account even if someone learns your password.',
              )}
            </Empty>
          ) : (
            <ul className="rows">
              {all.map((device) => (
                <li key={`${device.meta_model_name}-${device.pk}`} className="rows-row">
                  <div className="rows-text">
                    <h2>{deviceName(device)}</h2>
                    <p className="quiet small">{notesOn(device).join(' · ')}</p>
                    <p className="quiet small">{usedWhen(device)}</p>
                  </div>
                  <div className="row">
                    <FormDialog
                      opener={t('Rename')}
                      about={deviceName(device)}
                      look="quiet"
                      title={t('Rename the device')}
                      submit={t('Save')}
                      onSubmit={(form) => rename(device, form)}
                    >
                      {({ name }) => (
                        <TextField
                          name="name"
                          label={t('Name')}
                          defaultValue={device.name}
                          required
                          maxLength={64}
                          autoComplete="off"
                          errors={name}
                        />
                      )}
                    </FormDialog>
                    <ConfirmButton
                      about={deviceName(device)}
                      question={t('Delete {name}?', { name: deviceName(device) })}
                      consequence={t('You can no longer sign in with it.')}
                      confirm={t('Delete device')}
                      onConfirm={() => remove(device)}
                    >
                      {t('Delete')}
                    </ConfirmButton>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Loaded {...devices}>
        {(all) => lacksCodes(all) && <Loaded {...settings}>{(offered) => <CodesOffer settings={offered} />}</Loaded>}
      </Loaded>
      <Loaded {...settings}>{(all) => <Enrolments settings={all.filter(isDevice)} />}</Loaded>
    </Section>
  );
}

/** The kind of a device, unless that is its name, and whether it works. */
const notesOn = (device: Device): string[] => [
  ...(deviceName(device) === deviceKindName(device) ? [] : [deviceKindName(device)]),
  ...(device.confirmed ? [] : [t('setup not completed')]),
];

function usedWhen({ last_used, created }: Device) {
  return last_used ? (
    <Rich text="Last used {when}" values={{ when: <Moment at={last_used} /> }} />
  ) : (
    <Rich text="Added {when}, not used yet" values={{ when: <Moment at={created} /> }} />
  );
}

const lacksCodes = (devices: readonly Device[]): boolean =>
  devices.some(({ confirmed }) => confirmed) && !devices.some((device) => deviceKind(device) === 'static');

/** A way back in for those who have nothing but a passkey or a phone. */
function CodesOffer({ settings }: { settings: readonly UserSetting[] }) {
  const codes = settings.find(({ component }) => component === 'xak-user-settings-authenticator-static');
  if (!codes) return null;
  return (
    <Notice tone="plain">
      <div className="stack">
        <p>{t('You have no recovery codes yet. They let you sign in if you lose your devices.')}</p>
        <div>
          <a className="button button-plain" href={returningTo('devices', codes.configure_url)}>
            {t('Get recovery codes')}
          </a>
        </div>
      </div>
    </Notice>
  );
}

/** The flows that enrol devices. */
function Enrolments({ settings }: { settings: readonly UserSetting[] }) {
  if (settings.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="enrolments">
      <h2 id="enrolments">{t('Add a device')}</h2>
      <ul className="row">
        {settings.map(({ object_uid, title, configure_url }) => (
          <li key={object_uid}>
            <a className="button button-plain" href={returningTo('devices', configure_url)}>
              {known(title)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
