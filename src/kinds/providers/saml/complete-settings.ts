import { X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { parseDuration } from '../../../lib/duration.ts';
import { type Complaints, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import { completeAuthorizationFlow, mappingsManagedAs, ownSigningKey } from '../../../provider/install-defaults.ts';
import { notAboveZero } from '../../../resource/fields/scalar.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { defaultSignature, isStrongAlgorithm, keyKindOf } from './algorithms.ts';
import { attributeMappings } from './install-defaults.ts';
import { defaultIssuer, issuerOf, samlRoot } from './urls.ts';

interface SamlProviderSettings {
  pk: number;
  issuer: string;
  audience: string;
  authorization_flow: string;
  property_mappings: readonly string[];
  launch_url: string;
  digest_algorithm: string;
  signature_algorithm: string;
  signing_kp: string | null;
  encryption_kp: string | null;
  sign_assertion: boolean;
  sign_response: boolean;
  assertion_valid_not_before: string;
  assertion_valid_not_on_or_after: string;
  session_valid_not_on_or_after: string;
  sls_binding: string;
  logout_method: string;
}

/** Fills in defaults and validates the provider as a whole. */
export const completeSettings = (publicUrl: string) => async (input: CheckInput<SamlProviderSettings>) => {
  const complaints = await completeValues(input);
  return complaints ?? (await identityComplaint(input, publicUrl));
};

/**
 * A service provider identifies Gatehouse by issuer and key, and itself by the audience. No provider can impersonate
 * another: issuers are unique and for superusers, and with a key that others sign with, so are audiences.
 */
async function identityComplaint(
  { tx, call, values, current, isCopy = false }: CheckInput<SamlProviderSettings>,
  publicUrl: string,
): Promise<Complaints | null> {
  const { actor } = call;
  const isSuperuser = !actor || actor.isSuperuser;
  const own = current && (await ownIssuer(tx, current.pk, publicUrl));
  if (isCopy) values.issuer = defaultIssuer;
  else if (own !== null && values.issuer === defaultIssuer) values.issuer = own;
  const isNew = (...names: (keyof SamlProviderSettings)[]) =>
    current === null || names.some((name) => values[name] !== current[name]);
  const other = current === null ? sql`1 = 1` : sql`pk <> ${current.pk}`;
  if (isNew('issuer', 'audience', 'signing_kp')) await call.db.dialect.exclusive('saml identities')?.execute(tx);
  if (isNew('issuer') && values.issuer !== defaultIssuer && values.issuer !== own) {
    if (!isSuperuser)
      throw new Problem(
        'permission_denied',
        `Only superusers may set the issuer of a provider. Leave it out, or send “${defaultIssuer}”.`,
      );
    if (values.issuer.startsWith(`${publicUrl}${samlRoot}`))
      return {
        issuer: [`Addresses of applications are issuers of their own providers: enter “${defaultIssuer}” for that.`],
      };
    const { rows } =
      await sql`select 1 from provider_saml where issuer = ${values.issuer} and ${other} limit 1`.execute(tx);
    if (rows.length > 0) return { issuer: ['Another provider has this issuer.'] };
  }
  if (isSuperuser || !isNew('audience', 'signing_kp')) return null;
  // A provider without a key signs with the server's.
  const ownKey = await ownSigningKey(tx);
  const { rows } = await sql`select 1 from provider_saml
    where coalesce(signing_kp, ${ownKey}) = ${values.signing_kp ?? ownKey} and audience = ${values.audience} and ${other} limit 1`.execute(
    tx,
  );
  if (rows.length === 0) return null;
  const which = values.audience === '' ? 'no audience either' : 'this audience';
  return {
    audience: [
      `Another provider that signs with the same key pair has ${which}: its service provider could accept assertions of this one. Enter the entity ID of the service provider, or choose another key pair.`,
    ],
  };
}

/** What is shown for the default issuer; null without an application. */
async function ownIssuer(query: Query, provider: number, publicUrl: string): Promise<string | null> {
  const { rows } = await sql<{ slug: string }>`select slug from applications where provider = ${provider}`.execute(
    query,
  );
  return rows[0] ? issuerOf(publicUrl, { issuer: defaultIssuer, slug: rows[0].slug }) : null;
}

async function completeValues(input: CheckInput<SamlProviderSettings>): Promise<Complaints | null> {
  const { tx, values, given, current } = input;
  const complaints = await completeAuthorizationFlow(input);
  if (complaints) return complaints;
  if (current === null && !given.has('property_mappings'))
    values.property_mappings = await mappingsManagedAs(tx, attributeMappings);
  // The application's slug is filled in where it is shown.
  values.launch_url = '/application/saml/%(application_slug)s/sso/binding/init/';
  const isSigned = values.sign_assertion || values.sign_response;
  const signing = await pairOf(tx, values.signing_kp ?? (isSigned ? await ownSigningKey(tx) : null));
  if (signing && !given.has('signature_algorithm') && keyKindOf(values.signature_algorithm) !== signing.kind) {
    values.signature_algorithm = defaultSignature[signing.kind] ?? values.signature_algorithm;
  }
  return (
    weakComplaint(values, current) ??
    unsignedComplaint(values, current) ??
    signingComplaint(values, signing) ??
    encryptionComplaint(await pairOf(tx, values.encryption_kp)) ??
    validityComplaint(values) ??
    logoutComplaint(values)
  );
}

interface Pair {
  /** `rsa`, `ec`, … */
  readonly kind: string;
  readonly hasKey: boolean;
}

async function pairOf(query: Query, pk: string | null): Promise<Pair | null> {
  if (pk === null) return null;
  const { rows } = await sql<{ certificate_data: string; has_key: unknown }>`select certificate_data,
    key_data <> '' as has_key from certificates where pk = ${pk}`.execute(query);
  const [row] = rows;
  if (!row) return null;
  return {
    kind: new X509Certificate(row.certificate_data).publicKey.asymmetricKeyType ?? '',
    hasKey: Boolean(row.has_key),
  };
}

/** SHA-1 stays only where it was chosen before. */
function weakComplaint(values: SamlProviderSettings, current: SamlProviderSettings | null): Complaints | null {
  for (const name of ['digest_algorithm', 'signature_algorithm'] as const) {
    if (isStrongAlgorithm(values[name]) || current?.[name] === values[name]) continue;
    return { [name]: ['SHA-1 and DSA can be forged. Choose an algorithm with SHA-256 or better.'] };
  }
  return null;
}

function signingComplaint(values: SamlProviderSettings, signing: Pair | null): Complaints | null {
  if (!signing) return null;
  if (!signing.hasKey) return { signing_kp: ['Only a pair that has a private key can sign.'] };
  const kind = keyKindOf(values.signature_algorithm);
  if (kind !== signing.kind) {
    return { signature_algorithm: [`The key of the signing pair is of the kind ${signing.kind}: it cannot sign so.`] };
  }
  return null;
}

/** Anyone could forge unsigned assertions. Only a provider that never signed may go on. */
function unsignedComplaint(values: SamlProviderSettings, current: SamlProviderSettings | null): Complaints | null {
  if (values.sign_assertion || values.sign_response) return null;
  if (current && values.signing_kp === null && !current.sign_assertion && !current.sign_response) return null;
  return {
    non_field_errors: [
      "With a signing keypair selected, at least one of 'Sign assertion' and 'Sign Response' must be selected.",
    ],
  };
}

const encryptionComplaint = (encryption: Pair | null): Complaints | null =>
  encryption && encryption.kind !== 'rsa'
    ? { encryption_kp: ['Assertions can be encrypted only for a certificate with an RSA key.'] }
    : null;

function validityComplaint(values: SamlProviderSettings): Complaints | null {
  const lengthOf = (name: keyof SamlProviderSettings) => parseDuration(String(values[name])) ?? 0;
  for (const name of ['assertion_valid_not_on_or_after', 'session_valid_not_on_or_after'] as const) {
    if (lengthOf(name) <= 0) return { [name]: [notAboveZero] };
  }
  if (lengthOf('assertion_valid_not_before') < lengthOf('assertion_valid_not_on_or_after')) return null;
  return { assertion_valid_not_before: ['Assertions would be over before they begin.'] };
}

const bindingsOf: Readonly<Record<string, readonly string[]>> = {
  frontchannel: ['redirect', 'post'],
  backchannel: ['post', 'soap'],
};

function logoutComplaint({ logout_method, sls_binding }: SamlProviderSettings): Complaints | null {
  const possible = bindingsOf[logout_method] ?? [];
  if (possible.includes(sls_binding)) return null;
  return { sls_binding: [`With the logout method ${logout_method}, the binding must be ${possible.join(' or ')}.`] };
}
