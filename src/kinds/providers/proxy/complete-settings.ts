import { sql } from 'kysely';
import { checkReadsDirectory } from '../../../core/access/directory-readers.ts';
import { type Complaints, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import {
  completeAuthorizationFlow,
  mappingsManagedAs,
  proxyScope,
  scopeMappingName,
} from '../../../provider/install-defaults.ts';
import { holdsOn } from '../../../resource/access/access.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { cookieDomainComplaint, isWithinDomain, normalDomain, normalHost, parseExternalHost } from './hosts.ts';
import { type ProxyMode, proxyModel } from './proxy-model.ts';

interface ProxySettings {
  pk: number;
  mode: ProxyMode;
  authorization_flow: string;
  property_mappings: readonly string[];
  external_host: string;
  internal_host: string;
  internal_host_ssl_validation: boolean;
  cookie_domain: string;
  basic_auth_enabled: boolean;
  basic_auth_user_attribute: string;
  basic_auth_password_attribute: string;
  launch_url: string;
  host: string;
}

type Input = CheckInput<ProxySettings>;

/** Fills in defaults and validates the provider as a whole. */
export const completeSettings = (publicUrl: string) => async (input: Input) => {
  const { tx, values, given, current } = input;
  const complaints = await completeAuthorizationFlow(input);
  if (complaints) return complaints;
  if (current === null && !given.has('property_mappings'))
    values.property_mappings = await mappingsManagedAs(tx, usualMappings);
  const url = parseExternalHost(values.external_host);
  if (!url) return { external_host: ['Enter an address such as https://app.example.com.'] };
  values.host = normalHost(url.host);
  values.cookie_domain = normalDomain(values.cookie_domain);
  values.launch_url = values.external_host;
  checkMayProxy(input);
  checkMaySendAttributes(input);
  return (
    settingsComplaint(values, normalHost(url.hostname)) ??
    (await ownHostComplaint(tx, values, url, publicUrl)) ??
    (await takenComplaint(input))
  );
};

/** The claims that headers are made from. */
export const usualMappings: readonly string[] = ['openid', 'email', 'profile', proxyScope].map(scopeMappingName);

function settingsComplaint(values: ProxySettings, hostname: string): Complaints | null {
  const { mode, cookie_domain, internal_host } = values;
  if (mode === 'proxy') {
    if (internal_host === '')
      return { internal_host: ['Internal host cannot be empty when forward auth is disabled.'] };
    if (!parseExternalHost(internal_host)) return { internal_host: ['Enter an address such as http://10.0.0.5:8080.'] };
  }
  if (
    values.basic_auth_enabled &&
    [values.basic_auth_user_attribute, values.basic_auth_password_attribute].includes('')
  )
    return { basic_auth_enabled: ['User and password attributes must be set when basic auth is enabled.'] };
  if (mode !== 'forward_domain') return null;
  const complaint = cookieDomainComplaint(cookie_domain);
  if (complaint !== null) return { cookie_domain: [complaint] };
  if (!isWithinDomain(hostname, cookie_domain))
    return { external_host: [`The host has to be within the domain ${cookie_domain}.`] };
  return null;
}

/** The host of this server is its own: as an application, it would swallow the sign-in pages. */
async function ownHostComplaint(
  query: Query,
  { mode, host }: ProxySettings,
  { hostname }: URL,
  publicUrl: string,
): Promise<Complaints | null> {
  const isOwn = host === normalHost(new URL(publicUrl).host);
  // A domain is often served at the host of this server, which needs no host of its own then.
  if (mode === 'forward_domain') return null;
  const { rows } = await sql`select 1 from brands where domain = ${normalHost(hostname)}`.execute(query);
  if (!isOwn && rows.length === 0) return null;
  return { external_host: ['This is the address of Gatehouse itself. Enter that of the application.'] };
}

/**
 * The server connects to any upstream that a proxy provider names, in its own network, and forwards the requests of a
 * whole host to it (SSRF).
 */
function checkMayProxy({ call: { actor }, values, current }: Input): void {
  if (!actor || actor.isSuperuser) return;
  const names = ['mode', 'external_host', 'internal_host', 'internal_host_ssl_validation'] as const;
  const isProxy =
    values.mode === 'proxy' || current?.mode === 'proxy' || values.internal_host !== (current?.internal_host ?? '');
  if (isProxy && names.some((name) => values[name] !== current?.[name]))
    throw new Problem('permission_denied', 'Only superusers set up the mode proxy and the internal host.');
}

/** They decide which attributes of a user an application gets. */
export const sentAttributeMembers = [
  'basic_auth_enabled',
  'basic_auth_user_attribute',
  'basic_auth_password_attribute',
] as const;
/** They decide which application that is. */
const hostMembers = ['mode', 'external_host', 'cookie_domain'] as const;

/** Any attribute of users can be named, such as their password for another application. */
function checkMaySendAttributes({ call: { actor }, values, current }: Input): void {
  if (!values.basic_auth_enabled) return;
  const members = [...sentAttributeMembers, ...hostMembers];
  if (members.some((name) => values[name] !== current?.[name])) checkReadsDirectory(actor);
}

/**
 * One host, one provider. Hosts that another provider covers by its domain are taken from it only by who may change it.
 */
async function takenComplaint({ tx, call, registry, values, current }: Input): Promise<Complaints | null> {
  await call.db.dialect.exclusive('proxy hosts')?.execute(tx);
  const { rows: others } = await sql<{
    pk: number;
    host: string;
    mode: ProxyMode;
    cookie_domain: string;
  }>`select pk, host,
    mode, cookie_domain from provider_proxy where pk <> ${current?.pk ?? 0}`.execute(tx);
  if (others.some(({ host }) => host === values.host)) return { external_host: ['Another provider has this host.'] };
  const domains = others.filter(({ mode }) => mode === 'forward_domain');
  const isDomain = values.mode === 'forward_domain';
  if (isDomain && domains.some(({ cookie_domain }) => cookie_domain === values.cookie_domain))
    return { cookie_domain: ['Another provider has this domain.'] };
  const { actor } = call;
  const isSame =
    current?.host === values.host && current.cookie_domain === values.cookie_domain && current.mode === values.mode;
  if (!actor || isSame) return null;
  const hostname = values.host.replace(/:\d+$/, '');
  const above = domains.filter(({ cookie_domain }) =>
    isWithinDomain(isDomain ? values.cookie_domain : hostname, cookie_domain),
  );
  const resource = registry.require(proxyModel);
  const change = resource.permission('change');
  for (const { pk } of above) {
    if (await holdsOn(actor, change, resource, pk, tx)) continue;
    throw Problem.lacks(change, 'A provider for the whole domain covers this host, and you may not change it.');
  }
  return null;
}
