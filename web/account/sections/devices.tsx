import { callAsPerson } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { TextField } from '../../elements/field.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { Empty } from '../listing.tsx';
import { returningTo } from '../navigation.tsx';
import { Section } from '../section.tsx';
import type { UserSetting } from '../user-setting.ts';

interface Device {
  readonly pk: number;
  readonly name: string;
  readonly verbose_name: string;
  /** `svc_stages_authenticator_totp.totpdevice` */
  readonly meta_model_name: string;
  readonly confirmed: boolean;
  readonly created: string;
  readonly last_used: string | null;
}

const kinds: Readonly<Record<string, string>> = {
  totp: 'Authenticator app',
  static: 'Recovery codes',
  webauthn: 'Passkey',
  sms: 'Text messages',
  twofactor: 'Push messages',
};

const kindOf = ({ meta_model_name }: Device): string => /authenticator_([a-z]+)\./.exec(meta_model_name)?.[1] ?? '';
const addressOf = (device: Device): string => `/authenticators/${kindOf(device)}/${device.pk}/`;
const isDevice = ({ component }: UserSetting): boolean => component.startsWith('xak-user-settings-authenticator-');

/** The user's second factors. */
export function Devices() {
  const devices = useAnswer<readonly Device[]>('/authenticators/all/');
  const settings = useAnswer<readonly UserSetting[]>('/stages/all/user_settings/');
  const done = useDone();

  async function rename(device: Device, form: FormData): Promise<void> {
    await callAsPerson('PATCH', addressOf(device), { name: form.get('name') });
    await devices.reload();
  }

  async function remove(device: Device): Promise<void> {
    await callAsPerson('DELETE', addressOf(device));
    await devices.reload();
    done(`${device.name} is deleted.`);
  }

  return (
    <Section title="Devices" intro="What you sign in with beside your password.">
      <Loaded {...devices}>
        {(all) =>
          all.length === 0 ? (
            <Empty>You have no devices yet. A second one keeps others out who know your password.</Empty>
          ) : (
            <ul className="rows">
              {all.map((device) => (
                <li key={`${device.meta_model_name}-${device.pk}`} className="rows-row">
                  <div className="rows-text">
                    <h2>{device.name}</h2>
                    <p className="quiet small">
                      {kinds[kindOf(device)] ?? device.verbose_name}
                      {!device.confirmed && ', not set up to the end'}
                    </p>
                    <p className="quiet small">{usedWhen(device)}</p>
                  </div>
                  <div className="row">
                    <FormDialog
                      opener="Rename"
                      about={device.name}
                      look="quiet"
                      title="Rename the device"
                      submit="Save"
                      onSubmit={(form) => rename(device, form)}
                    >
                      {({ name }) => (
                        <TextField
                          name="name"
                          label="Name"
                          defaultValue={device.name}
                          required
                          maxLength={64}
                          autoComplete="off"
                          errors={name}
                        />
                      )}
                    </FormDialog>
                    <ConfirmButton
                      about={device.name}
                      question={`Delete ${device.name}?`}
                      consequence="You can no longer sign in with it."
                      confirm="Delete device"
                      onConfirm={() => remove(device)}
                    >
                      Delete
                    </ConfirmButton>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Loaded {...settings}>{(all) => <Enrolments settings={all.filter(isDevice)} />}</Loaded>
    </Section>
  );
}

function usedWhen({ last_used, created }: Device) {
  return last_used ? (
    <>
      Last used <Moment at={last_used} />
    </>
  ) : (
    <>
      Added <Moment at={created} />, not used yet
    </>
  );
}

/** The flows that enrol devices. */
function Enrolments({ settings }: { settings: readonly UserSetting[] }) {
  if (settings.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="enrolments">
      <h2 id="enrolments">Add a device</h2>
      <ul className="row">
        {settings.map(({ object_uid, title, configure_url }) => (
          <li key={object_uid}>
            <a className="button button-plain" href={returningTo('devices', configure_url)}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
