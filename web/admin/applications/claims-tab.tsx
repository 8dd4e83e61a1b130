import type { Application, PropertyMappingPreview } from '../../api/types.ts';
import { Code } from '../../elements/code.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

/** The claims that the application would receive for a person. */
export function ClaimsTab({ application }: { application: Application }) {
  const { query } = useAddress();
  const { resources, user } = useInterface();
  const person = query.get('person');
  const { provider, provider_obj, launch_url } = application;
  const kind = resources.find(({ model }) => model === provider_obj?.meta_model_name)?.path ?? '';
  const canChoose = resources.some(({ path }) => path === '/core/users/');
  const preview = useAnswer<PropertyMappingPreview>(
    `${kind}${provider}/preview_user/?for_user=${encodeURIComponent(person ?? user.pk)}`,
  );
  return (
    <section className="card stack" aria-label={t('Claims')}>
      <div className="stack-tight">
        <h2>{t('Claims as a chosen person')}</h2>
        <p className="quiet">
          {t('What the application receives when this user signs in, evaluated now with its scopes.')}
        </p>
      </div>
      {canChoose && (
        <div className="claims-person">
          <ReferencePicker
            label={t('Person')}
            hint={person === null ? t('You ({name}) until you choose a user.', { name: user.username }) : undefined}
            model="svc_core.user"
            value={person}
            onChange={(key) => goTo(hereWith({ person: key }))}
          />
        </div>
      )}
      <Loaded {...preview}>{({ preview: claims }) => <Code text={JSON.stringify(claims, null, 2)} />}</Loaded>
      <div className="row">
        {launch_url && (
          <a className="button button-primary" href={launch_url} target="_blank" rel="noreferrer">
            {t('Test the sign-in')}
          </a>
        )}
        <Link className="button" href={hereWith({ tab: 'access' })}>
          {t('Who may use it')}
        </Link>
      </div>
    </section>
  );
}
