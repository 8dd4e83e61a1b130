import { type RawBuilder, sql } from 'kysely';
import type { RowAlias } from '../../../resource/fields/field.ts';

/** The default issuer: each provider uses the URL of its own metadata. */
export const defaultIssuer = 'gatehouse';

/** The prefix of the endpoints of all applications. */
export const samlRoot = '/application/saml/';

/** Of an application, as paths on this server. `endpoint` takes every message of both bindings. */
export function samlPaths(slug: string) {
  const root = `${samlRoot}${encodeURIComponent(slug)}/`;
  return {
    endpoint: root,
    init: `${root}init/`,
    ssoRedirect: `${root}sso/binding/redirect/`,
    ssoPost: `${root}sso/binding/post/`,
    ssoInit: `${root}sso/binding/init/`,
    sloRedirect: `${root}slo/binding/redirect/`,
    sloPost: `${root}slo/binding/post/`,
    sloSoap: `${root}slo/binding/soap/`,
    metadata: `${root}metadata/`,
  } as const;
}

/** Our entity ID for a service provider. */
export const issuerOf = (publicUrl: string, { issuer, slug }: { readonly issuer: string; readonly slug: string }) =>
  issuer === defaultIssuer && slug !== '' ? `${publicUrl}${samlPaths(slug).metadata}` : issuer;

/** The same of a row, as the metadata have it. */
export const shownIssuer = (publicUrl: string, row: RowAlias): RawBuilder<string> =>
  sql`case when ${row.col('issuer')} = ${defaultIssuer} then coalesce((select ${publicUrl + samlRoot} || a.slug || '/metadata/'
    from applications a where a.provider = ${row.col('pk')}), ${defaultIssuer}) else ${row.col('issuer')} end`;
