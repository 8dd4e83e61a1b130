import { importPKCS8, SignJWT } from 'jose';
import { fromTimestamp } from '../../../platform/clock.ts';
import { misconfigured } from '../../../source/source-refusal.ts';
import type { OAuthSource } from './oauth-model.ts';

/** Who we are towards a service. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

const appleParts = 'Apple Source client_id should be formatted like services_id_identifier;apple_team_id;key_id';
const appleSecretSeconds = 300;

/** Apple's `consumer_key` holds three parts; null where one is missing. */
function readAppleKey(consumerKey: string): readonly [services: string, team: string, key: string] | null {
  const [services, team, key, ...others] = consumerKey.split(';').map((part) => part.trim());
  return services && team && key && others.length === 0 ? [services, team, key] : null;
}

export const clientIdOf = ({ provider_type, consumer_key }: OAuthSource): string =>
  provider_type === 'apple' ? (readAppleKey(consumer_key)?.[0] ?? '') : consumer_key;

/** Apple requires a secret that is signed with our key; other services have issued one. */
export async function clientOf(source: OAuthSource, now: string): Promise<Client> {
  const { provider_type, consumer_key, consumer_secret } = source;
  if (provider_type !== 'apple') return { id: consumer_key, secret: consumer_secret };
  const parts = readAppleKey(consumer_key);
  if (!parts) throw misconfigured(`${appleParts}.`);
  const [services, team, kid] = parts;
  const key = await importPKCS8(consumer_secret, 'ES256').catch(() => {
    throw misconfigured('The consumer secret is not an EC private key (PEM).');
  });
  const seconds = Math.floor(fromTimestamp(now).getTime() / 1000);
  const secret = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(team)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + appleSecretSeconds)
    .setAudience('https://appleid.apple.com')
    .setSubject(services)
    .sign(key);
  return { id: services, secret };
}
