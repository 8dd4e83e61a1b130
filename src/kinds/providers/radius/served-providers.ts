import { sql } from 'kysely';
import type { Database, Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import { type SecretBox, sealContext } from '../../../platform/keys.ts';
import { isServedSql } from '../../../provider/outpost/served-here.ts';
import type { PasswordProvider } from '../../../provider/password-server/prove-password.ts';
import { servedApplicationSql } from '../../../provider/password-server/served-application.ts';

/** A provider as the server needs it. */
export interface ServedProvider extends PasswordProvider {
  readonly name: string;
  readonly client_networks: string;
  readonly secret: Buffer;
  readonly require_message_authenticator: boolean;
  /** The key pair for EAP. */
  readonly certificate: string | null;
  readonly client_ca: string | null;
  /** The certificate of the authority of RadSec clients. */
  readonly radsec_authority: string | null;
  readonly mappings: readonly { readonly name: string; readonly expression: string }[];
}

interface Row extends Omit<ServedProvider, 'secret' | 'mappings'> {
  readonly shared_secret: string;
}

/** Those that an outpost serves, or this server where it is null: an application uses them. */
export const servedProviders = (
  db: Database,
  box: SecretBox,
  outpost: string | null,
): Promise<readonly ServedProvider[]> =>
  cache.read(db, outpost ?? '', (query) =>
    load(
      query,
      box,
      sql`${isServedSql(sql`r.pk`, outpost)}
    and ${servedApplicationSql(sql`r.pk`)} is not null`,
    ),
  );

/** A provider, whether it is served or not. */
export const findProvider = async (query: Query, box: SecretBox, pk: number): Promise<ServedProvider | null> =>
  (await load(query, box, sql`r.pk = ${pk}`))[0] ?? null;

const cache = queryCache<readonly ServedProvider[]>('RADIUS providers');

async function load(query: Query, box: SecretBox, where: ReturnType<typeof sql>): Promise<readonly ServedProvider[]> {
  const { rows } =
    await sql<Row>`select r.pk, p.name, f.slug as flow, r.client_networks, r.shared_secret, r.mfa_support,
    r.accept_app_passwords, r.require_message_authenticator, r.certificate, r.client_ca,
    a.certificate_data as radsec_authority from provider_radius r join providers p on p.pk = r.pk left join flows f on f.pk = p.authorization_flow
    left join certificates a on a.pk = r.radsec_ca where ${where} order by r.pk`.execute(query);
  const { rows: mappings } = await sql<{ provider: number; name: string; expression: string }>`select pm.provider,
    m.name, m.expression from provider_radius r join provider_property_mappings pm on pm.provider = r.pk
    join property_mappings m on m.pk = pm.mapping join mapping_radius mr on mr.pk = m.pk where ${where}`.execute(query);
  return rows.map(({ shared_secret, ...row }) => ({
    ...row,
    mfa_support: Boolean(row.mfa_support),
    accept_app_passwords: Boolean(row.accept_app_passwords),
    require_message_authenticator: Boolean(row.require_message_authenticator),
    secret: Buffer.from(box.open(shared_secret, sealContext('providers', 'shared_secret', row.pk))),
    mappings: mappings.filter(({ provider }) => provider === row.pk),
  }));
}
