import { type Text, t } from '../../texts/texts.ts';
import { CopyRows } from '../parts/copy-rows.tsx';
import type { BannerProps } from '../resource-page.ts';

/** Members with addresses of ours that the other side asks for. */
const addresses: readonly (readonly [member: string, label: Text])[] = [
  ['callback_url', 'Redirect URI of this source'],
  ['logout_url', 'Post-logout redirect URI'],
  ['url_metadata', 'Metadata'],
  ['url_acs', 'Assertion consumer service'],
  ['url_slo', 'Sign-out URL'],
  ['root_url', 'SCIM base URL'],
];

/** What to enter at the service that people come from. */
export function OtherSide({ object: { row } }: BannerProps) {
  const rows = addresses.flatMap(([member, label]) =>
    typeof row[member] === 'string' ? [{ label: t(label), text: row[member] }] : [],
  );
  return rows.length > 0 ? (
    <section className="card stack" aria-label={t('For the identity provider')}>
      <h2>{t('For the identity provider')}</h2>
      <CopyRows rows={rows} />
    </section>
  ) : null;
}
