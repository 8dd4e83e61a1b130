import type { TransactionApplicationResponse } from '../../api/types.ts';
import type { Text } from '../../texts/text.ts';
/** A well-known application: what its provider needs, and what to enter where in the application. */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly about: Text;
  /** Empty for those that fit any application. */
  readonly category: Text | '';
  readonly protocol: 'oauth2' | 'saml' | 'proxy' | 'ldap' | 'radius';
  /** An example of the address that people open; for RADIUS, of the networks of its clients. */
  readonly address: string;
  /** Redirect URIs, with `{address}` in them. */
  readonly redirects?: readonly string[];
  /** Where it may send people whom it signed out, by default to its address; and where it takes logout tokens. */
  readonly signedOut?: readonly string[];
  readonly backchannel?: string;
  /** SAML: the assertion consumer service and the entity ID of the application. */
  readonly acs?: string;
  readonly audience?: string;
  /** SAML: its single logout service. */
  readonly logoutService?: string;
  readonly nameId?: 'emailAddress';
  readonly isPublic?: boolean;
  /** The address is not a page for people. */
  readonly hasNoPage?: boolean;
  /** The redirect URIs are a guess, and the wizard asks for the addresses of signing out too. */
  readonly asksRedirect?: boolean;
  /** In words, or a file or a menu of the application, by its own names. */
  readonly where:
    | Text
    | `${string}.${'rb' | 'py' | 'xml' | 'yml' | 'yaml' | 'cf' | 'conf' | 'ext' | 'json' | 'properties'}`
    | `Environment of ${string}`
    | `${string} → ${string}`;
  /** Text to copy, with the names of `Facts` in braces. Lines about groups are filled by `setupOf`. */
  readonly setup: string;
  /** What the product itself says of this. */
  readonly docs?: string;
  /** That the text was compared with the documentation, or that the program was run with it. */
  readonly checked?: Checked;
}

export interface Checked {
  /** Of the program that was run, or of the documentation. */
  readonly version: string;
  readonly date: string;
  readonly how: 'run' | 'read';
}

/** The input of the wizard. */
export interface Choices {
  readonly name: string;
  readonly slug: string;
  /** For RADIUS, the networks of its clients. */
  readonly address: string;
  readonly redirect: string;
  readonly signedOut: string;
  readonly backchannel: string;
  /** SAML: the entity ID of the application, if the template does not fit. */
  readonly entity: string;
  readonly groups: readonly (string | number)[];
}

const modelOf = {
  oauth2: 'svc_providers_oauth2.oauth2provider',
  saml: 'svc_providers_saml.samlprovider',
  proxy: 'svc_providers_proxy.proxyprovider',
  ldap: 'svc_providers_ldap.ldapprovider',
  radius: 'svc_providers_radius.radiusprovider',
} as const;

export const providerPathOf = ({ protocol }: Template): string => `/providers/${protocol}/`;

/** Whether people enter their passwords at the application and not at a page of this server. */
export const isPasswordServer = ({ protocol }: Template): boolean => protocol === 'ldap' || protocol === 'radius';

/** `{address}` and the like filled in; other braces stay. */
export function filled(text: string, facts: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => facts[name] ?? whole);
}

/** Names that mean nothing to a shell or in a configuration file. */
const plainName = /^[\p{L}\p{N} ._@-]+$/u;

/**
 * The text to copy. A line with `{group}` is there for each of the groups that may use the application, one with
 * `{groups}`, `{quoted_groups}` or, for regular expressions, `{any_group}` if there are any, one with `{only_group}` if
 * there is one, for programs that take a single one. A line that begins with `{with_groups}` is there if there are any,
 * one with `{without_groups}` if there are none.
 */
export function setupOf(
  { setup }: Template,
  facts: Readonly<Record<string, string | undefined>>,
  groups: readonly string[],
): string {
  // One that cannot be put in: the text must not let in others than the rest say.
  const names = groups.every((name) => plainName.test(name)) ? groups : [];
  const quoted = names.map((name) => `"${name}"`).join(', ');
  const any = names.map((name) => name.replaceAll('.', '\\.')).join('|');
  const [first = ''] = names;
  const lines = setup.split('\n').flatMap((line) => {
    if (line.startsWith('{with_groups}')) return names.length > 0 ? [line.slice('{with_groups}'.length)] : [];
    if (line.includes('{only_group}')) return names.length === 1 ? [filled(line, { only_group: first })] : [];
    if (line.startsWith('{without_groups}')) return names.length > 0 ? [] : [line.slice('{without_groups}'.length)];
    if (line.includes('{group}')) return names.map((group) => filled(line, { group }));
    if (!/\{(?:(?:quoted_)?groups|any_group)\}/.test(line)) return [line];
    const lists = { groups: names.join(','), quoted_groups: quoted, any_group: any };
    return names.length > 0 ? [filled(line, lists)] : [];
  });
  return filled(lines.join('\n'), facts);
}

/** Addresses and ranges with commas between them, by their shape; the server checks the rest. */
export const areNetworks = (text: string): boolean =>
  text.split(',').every((part) => /^[\da-f.:]+(?:\/\d{1,3})?$/i.test(part.trim()));

/** Without the trailing slash; null if it is not an HTTP address. */
export function readAddress(text: string): URL | null {
  const url = URL.parse(text.trim());
  return url && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '' ? url : null;
}

const placesOf = (address: string) => ({
  address: address.trim().replace(/\/+$/, ''),
  host: readAddress(address)?.host ?? '',
});

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/**
 * An address with its scheme: of the web, or one of an app's own (`com.example.app:/done`), but not
 * `localhost:3000/done`.
 */
export const isRedirect = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/[^\s#]+$/i.test(text) && URL.canParse(text);

/** The redirect URIs: entered, or from the template. */
export function redirectsOf(
  { redirects = [], acs = '', protocol }: Template,
  { address, redirect }: Choices,
): string[] {
  const own = linesOf(redirect);
  if (own.length > 0) return own;
  return (protocol === 'saml' ? [acs] : redirects).map((text) => filled(text, placesOf(address)));
}

/** SAML: the entity ID of the application, entered or from the template. */
export const entityOf = ({ audience = '' }: Template, { address, entity }: Choices): string =>
  entity || filled(audience, placesOf(address));

/** Where people may return to after signing out: entered, or from the template. */
export function signedOutOf(
  { protocol, hasNoPage, signedOut = hasNoPage ? [] : ['{address}', '{address}/'] }: Template,
  { address, signedOut: entered }: Choices,
): string[] {
  const own = linesOf(entered);
  if (own.length > 0) return own;
  return protocol === 'oauth2' ? signedOut.map((text) => filled(text, placesOf(address))) : [];
}

const strictly = (urls: readonly string[]) => urls.map((url) => ({ matching_mode: 'strict', url }));

const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** The root of the tree of an application: no two have the same. */
const baseDnOf = (slug: string): string => `DC=${slug},DC=ldap`;

/** The name by which an application searches a tree. */
export const bindDnIn = (baseDn: string): string => `cn=SERVICE-ACCOUNT,ou=users,${baseDn}`;

/** The settings of the provider, by its protocol. */
function providerOf(template: Template, choices: Choices): Record<string, unknown> {
  const { address } = choices;
  const urls = redirectsOf(template, choices);
  switch (template.protocol) {
    case 'saml':
      return {
        acs_url: urls[0] ?? '',
        audience: entityOf(template, choices),
        sls_url: filled(template.logoutService ?? '', placesOf(address)),
        ...(template.nameId && { default_name_id_policy: emailFormat }),
      };
    case 'proxy':
      return { mode: 'forward_single', external_host: readAddress(address)?.origin ?? '' };
    case 'ldap':
      return { base_dn: baseDnOf(choices.slug), accept_app_passwords: true };
    case 'radius':
      return { client_networks: address.trim() };
    case 'oauth2':
      return {
        client_type: template.isPublic ? 'public' : 'confidential',
        redirect_uris: strictly(urls),
        post_logout_redirect_uris: strictly(signedOutOf(template, choices)),
        backchannel_logout_uri: choices.backchannel || filled(template.backchannel ?? '', placesOf(address)),
      };
  }
}

/** The body of the operation that creates both; without a flow, people are asked for consent. */
export function bodyFor(template: Template, choices: Choices, flow: string | null = null) {
  const { name, slug, address, groups } = choices;
  return {
    app: { name, slug, meta_launch_url: template.hasNoPage ? '' : address.trim() },
    provider_model: modelOf[template.protocol],
    provider: { name, ...providerOf(template, choices), ...(flow && { authorization_flow: flow }) },
    ...(groups.length > 0 && { policy_bindings: groups.map((group) => ({ group })) }),
  };
}

/** The placeholders in texts to copy. */
export function factsOf(
  address: string,
  slug: string,
  created: Omit<TransactionApplicationResponse, 'applied' | 'logs'>,
): Readonly<Record<string, string | undefined>> {
  const { issuer = '' } = created;
  const root = issuer.split('/application/')[0]?.replace(/\/$/, '') ?? '';
  const own = `${root}/application/o/${slug}/`;
  return {
    ...placesOf(address),
    ...created,
    root_url: root,
    issuer_bare: issuer.replace(/\/$/, ''),
    discovery_url: `${own}.well-known/openid-configuration`,
    authorize_url: `${own}authorize/`,
    token_url: `${own}token/`,
    userinfo_url: `${own}userinfo/`,
    jwks_url: `${own}jwks/`,
    logout_url: `${own}end-session/`,
    slo_url: `${root}/application/saml/${slug}/slo/binding/redirect/`,
    base_dn: baseDnOf(slug),
    bind_dn: bindDnIn(baseDnOf(slug)),
  };
}
