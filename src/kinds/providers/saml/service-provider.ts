import { sql } from 'kysely';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { ContentCipher } from '../../../lib/xml/encrypt.ts';
import type { Database, Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import { statement } from '../../../platform/db/statement.ts';
import {
  type ApplicationColumns,
  applicationColumns,
  type ClientApplication,
  extractApplication,
} from '../../../provider/client-application.ts';
import { isOwnPairSql } from '../../../provider/install-defaults.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';
import type { MappedUser, MappingRow } from './attributes.ts';

export type SlsBinding = 'redirect' | 'post' | 'soap';

/** A certificate with its private key, still sealed; the key is empty for a certificate alone. */
export interface StoredPair {
  readonly pk: string;
  readonly certificate: string;
  readonly sealedKey: string;
}

/** The other side: a provider with the application that uses it, as requests meet it now. */
export interface ServiceProvider {
  readonly pk: number;
  readonly name: string;
  readonly acs_url: string;
  readonly audience: string;
  readonly issuer: string;
  readonly sp_binding: 'redirect' | 'post';
  readonly assertion_valid_not_before: string;
  readonly assertion_valid_not_on_or_after: string;
  readonly session_valid_not_on_or_after: string;
  readonly default_name_id_policy: string;
  readonly digest_algorithm: string;
  readonly signature_algorithm: string;
  readonly sign_assertion: boolean;
  readonly sign_response: boolean;
  readonly encryption_algorithm: ContentCipher;
  readonly default_relay_state: string;
  readonly sls_url: string;
  readonly sls_binding: SlsBinding;
  readonly logout_method: 'frontchannel' | 'backchannel';
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly invalidation_flow: string | null;
  readonly application: ClientApplication;
  readonly signing: StoredPair | null;
  /** PEM. */
  readonly verification: string | null;
  readonly encryption: string | null;
  readonly mappings: readonly MappingRow[];
  readonly nameIdMapping: MappingRow | null;
  /** The attributes last sent for a user. Evicted when the user or the provider is reloaded. */
  readonly mappedUsers: WeakMap<UserFacts, MappedUser>;
}

interface Row
  extends ApplicationColumns,
    Omit<ServiceProvider, 'application' | 'signing' | 'mappings' | 'nameIdMapping' | 'mappedUsers'> {
  readonly name_id_mapping: string | null;
  readonly signing_pk: string | null;
  readonly signing_certificate: string | null;
  readonly signing_key: string | null;
}

// A provider without an application is inactive: there are no policies to evaluate.
const select = sql`select s.pk, p.name, s.acs_url, s.audience, s.issuer, s.sp_binding, s.assertion_valid_not_before,
    s.assertion_valid_not_on_or_after, s.session_valid_not_on_or_after, s.default_name_id_policy, s.digest_algorithm,
    s.signature_algorithm, s.sign_assertion, s.sign_response, s.encryption_algorithm, s.default_relay_state, s.sls_url,
    s.sls_binding, s.logout_method, s.name_id_mapping, p.authentication_flow, p.authorization_flow, p.invalidation_flow,
    ${applicationColumns},
    sc.pk as signing_pk, sc.certificate_data as signing_certificate, sc.key_data as signing_key,
    vc.certificate_data as verification, ec.certificate_data as encryption
  from provider_saml s join providers p on p.pk = s.pk join applications a on a.provider = s.pk
    left join certificates sc on sc.pk = s.signing_kp
      or s.signing_kp is null and (s.sign_assertion or s.sign_response) and ${isOwnPairSql('sc')}
    left join certificates vc on vc.pk = s.verification_kp
    left join certificates ec on ec.pk = s.encryption_kp`;
const bySlug = statement<[slug: string], Row>((slug) => sql`${select} where a.slug = ${slug}`);
const byProvider = statement<[pk: number], Row>((pk) => sql`${select} where s.pk = ${pk}`);

const mappingSelect = sql`select m.pk, m.name, s.saml_name, s.friendly_name, m.expression
  from property_mappings m join mapping_saml s on s.pk = m.pk`;

const cache = queryCache<ServiceProvider | null>('service providers');

type By = { readonly slug: string } | { readonly provider: number };

/** Null for an unknown provider, or one without an application. */
export function loadServiceProvider(db: Database, by: By): Promise<ServiceProvider | null> {
  return cache.read(db, 'slug' in by ? by.slug : by.provider, async (query) => {
    if ('slug' in by && !isStorable(by.slug)) return null;
    const [row] = 'slug' in by ? await bySlug(query, by.slug) : await byProvider(query, by.provider);
    return row ? serviceProviderOf(row, await loadMappings(query, row)) : null;
  });
}

/** The mappings of a provider; mappings of other kinds mean nothing to it. */
export async function loadMappings(
  query: Query,
  { pk, name_id_mapping }: { readonly pk: number; readonly name_id_mapping: string | null },
): Promise<Pick<ServiceProvider, 'mappings' | 'nameIdMapping'>> {
  const { rows: mappings } = await sql<MappingRow>`${mappingSelect} join provider_property_mappings pm
    on pm.mapping = m.pk where pm.provider = ${pk} order by s.saml_name, m.name`.execute(query);
  if (name_id_mapping === null) return { mappings, nameIdMapping: null };
  const { rows } = await sql<MappingRow>`${mappingSelect} where m.pk = ${name_id_mapping}`.execute(query);
  return { mappings, nameIdMapping: rows[0] ?? null };
}

function serviceProviderOf(row: Row, mappings: Pick<ServiceProvider, 'mappings' | 'nameIdMapping'>): ServiceProvider {
  const { application, rest } = extractApplication(row);
  const { signing_pk, signing_certificate, signing_key, name_id_mapping: _, ...settings } = rest;
  return {
    ...settings,
    ...mappings,
    sign_assertion: Boolean(row.sign_assertion),
    sign_response: Boolean(row.sign_response),
    application,
    signing:
      signing_pk === null
        ? null
        : { pk: signing_pk, certificate: signing_certificate ?? '', sealedKey: signing_key ?? '' },
    mappedUsers: new WeakMap(),
  };
}
