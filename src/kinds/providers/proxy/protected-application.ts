import { sql } from 'kysely';
import { parseDuration } from '../../../lib/duration.ts';
import type { Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import {
  type ApplicationColumns,
  applicationColumns,
  type ClientApplication,
  extractApplication,
} from '../../../provider/client-application.ts';
import type { ProxyMode } from './proxy-model.ts';

/** A provider with the application that uses it, as signing in needs it. */
export interface ProtectedApplication {
  readonly pk: number;
  readonly name: string;
  readonly mode: ProxyMode;
  readonly host: string;
  readonly external_host: string;
  readonly cookie_domain: string;
  readonly client_id: string;
  readonly access_token_validity: string;
  readonly basic_auth_enabled: boolean;
  readonly basic_auth_user_attribute: string;
  readonly basic_auth_password_attribute: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly invalidation_flow: string | null;
  readonly application: ClientApplication;
}

type Row = ApplicationColumns & Omit<ProtectedApplication, 'application'>;

const select = sql`select pp.pk, p.name, pp.mode, pp.host, pp.external_host, pp.cookie_domain, pp.client_id,
    pp.access_token_validity, pp.basic_auth_enabled, pp.basic_auth_user_attribute, pp.basic_auth_password_attribute,
    p.authentication_flow, p.authorization_flow, p.invalidation_flow, ${applicationColumns}
  from provider_proxy pp join providers p on p.pk = pp.pk join applications a on a.provider = pp.pk`;
const byProvider = statement<[pk: number], Row>((pk) => sql`${select} where pp.pk = ${pk}`);
const bySlug = statement<[slug: string], Row>((slug) => sql`${select} where a.slug = ${slug}`);

/** Null if there is no such provider, or no application uses it. Users sign in here for every outpost. */
export async function loadProtected(
  query: Query,
  by: { readonly provider: number } | { readonly slug: string },
): Promise<ProtectedApplication | null> {
  const [row] = 'slug' in by ? await bySlug(query, by.slug) : await byProvider(query, by.provider);
  if (!row) return null;
  const { application, rest } = extractApplication(row);
  return { ...rest, basic_auth_enabled: Boolean(rest.basic_auth_enabled), application };
}

/** How long a session lasts, in milliseconds. */
export const sessionLength = ({ access_token_validity }: Pick<ProtectedApplication, 'access_token_validity'>): number =>
  parseDuration(access_token_validity) ?? 0;
