import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import type { BannerProps } from '../resource-page.ts';
import { slugOf } from '../slug.ts';

const applications = '/core/applications/';

/** Says of a provider that no application uses it, and so nothing comes of it. */
export function Unassigned({ object: { row, name, pk } }: BannerProps) {
  const { resources } = useInterface();
  if (row.assigned_application_slug || row.assigned_backchannel_application_slug) return null;
  // Providers that push users and groups sign nobody in.
  const signsIn = 'assigned_application_slug' in row;
  const mayMake = resources.some(({ path, may }) => path === applications && may.add === 'all');
  return (
    <Notice tone="warn">
      <p>
        {signsIn
          ? t(
              'No application uses this provider, so nobody can sign in with it. Choose it in the form of an application.',
            )
          : t('It sends nothing yet. Choose it under “Backchannel providers” in the form of an application.')}
      </p>
      {signsIn && mayMake && (
        <div className="row">
          <Link className="button" href={hrefOf(`/new${applications}`, { name, slug: slugOf(name), provider: pk })}>
            {t('Create an application with this provider')}
          </Link>
        </div>
      )}
    </Notice>
  );
}
