import { sql } from 'kysely';
import { findNamedBrand } from '../../../core/brand/brand-of-host.ts';
import { loadClient } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint } from './oauth-request.ts';
import { issuerOf } from './urls.ts';

const issuerRel = 'http://openid.net/specs/connect/1.0/issuer';
const maxLength = 500;

/**
 * Finds the issuer for an account (RFC 7033; OpenID Connect Discovery §2): that of the default application of the brand
 * with its domain, else this server as a whole. The same for every account, against user enumeration.
 */
export function webFingerEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async ({ call, params }) => {
    const resource = params.require('resource');
    const domain = domainOf(resource);
    const brand = domain === null ? null : await findNamedBrand(domain, call.db.read);
    if (brand === null) {
      throw new OAuthError('invalid_request', 'No brand of this server has the domain of the resource.', {
        status: 404,
      });
    }
    const rels = call.request.query.getAll('rel');
    const links = rels.length > 0 && !rels.includes(issuerRel) ? [] : [await issuerLink(needs, brand.pk)];
    return {
      status: 200,
      body: { subject: resource, links },
      headers: { 'content-type': 'application/jrd+json', 'access-control-allow-origin': '*' },
    };
  };
}

/** The host of an account or a URL. */
function domainOf(resource: string): string | null {
  if (resource.length > maxLength) return null;
  const account = /^(?:acct:|mailto:)?[^\s/@]+@([\w.-]+)$/i.exec(resource)?.[1];
  return (account ?? URL.parse(resource)?.hostname ?? '').toLowerCase() || null;
}

async function issuerLink(needs: OAuthDependencies, brand: string) {
  const { rows } = await sql<{ provider: number | null }>`select a.provider from brands b
    join applications a on a.pk = b.default_application where b.pk = ${brand}`.execute(needs.db.read);
  const provider = rows[0]?.provider ?? null;
  const client = provider === null ? null : await loadClient(needs, { provider });
  const { publicUrl } = needs;
  const href = client
    ? issuerOf(publicUrl, client.assigned_application_slug, client.issuer_mode)
    : issuerOf(publicUrl, '', 'global');
  return { rel: issuerRel, href };
}
