import { sql } from 'kysely';
import {
  DeploymentError,
  httpPort,
  type OutpostPort,
  type OutpostToDeploy,
  type ServedHost,
} from '../../../core/outpost/platform.ts';
import { type KeyNeeds, openKey } from '../../../core/token/issue-token.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { slugify } from '../../../lib/slugify.ts';
import { logLevels } from '../../../platform/config-values.ts';
import type { Query } from '../../../platform/db/database.ts';
import { asStrings, defaultOutpostConfig } from '../outpost-config.ts';
import type { OutpostType } from '../outpost-type.ts';
import { embeddedOutpost } from '../served-here.ts';

export interface DeploymentSettings {
  readonly key: KeyNeeds;
  readonly publicUrl: string;
  /** The image by default. */
  readonly outpostImage: string;
}

/** An outpost that is to be deployed, as stored. */
export interface StoredOutpost {
  readonly pk: string;
  readonly name: string;
  readonly type: OutpostType;
  readonly connection: string;
  readonly connectionKind: string;
  readonly token: string | null;
  /** Sealed. */
  readonly key: string | null;
  /** With defaults. */
  readonly config: JsonObject;
}

/** Null if the outpost does not exist or names no connection. */
export async function loadStoredOutpost(
  query: Query,
  pk: string,
  { publicUrl }: Pick<DeploymentSettings, 'publicUrl'>,
): Promise<StoredOutpost | null> {
  const { rows } = await sql<Omit<StoredOutpost, 'config'> & { config: string }>`select o.pk, o.name, o.type, o.config,
    c.pk as connection, c.kind as "connectionKind", o.token, t.key
    from outposts o join service_connections c on c.pk = o.service_connection left join tokens t on t.pk = o.token
    where o.pk = ${pk} and (o.managed is null or o.managed <> ${embeddedOutpost})`.execute(query);
  const [row] = rows;
  return row ? { ...row, config: { ...defaultOutpostConfig(publicUrl), ...asObject(JSON.parse(row.config)) } } : null;
}

const portsByType: Readonly<Record<OutpostType, readonly OutpostPort[]>> = {
  proxy: [{ name: 'http', published: 9000, port: httpPort, protocol: 'tcp' }],
  ldap: [
    { name: 'ldap', published: 389, port: 3389, protocol: 'tcp' },
    { name: 'ldaps', published: 636, port: 6636, protocol: 'tcp' },
  ],
  radius: [{ name: 'radius', published: 1812, port: 1812, protocol: 'udp' }],
};

const envByType: Readonly<Record<OutpostType, Readonly<Record<string, string>>>> = {
  proxy: {},
  ldap: { GATEHOUSE_LDAP_PORT: '3389', GATEHOUSE_LDAPS_PORT: '6636' },
  radius: { GATEHOUSE_RADIUS_PORT: '1812' },
};

/** Throws a DeploymentError if something is missing. */
export function outpostToDeploy(
  { pk, name, type, token, key, config }: StoredOutpost,
  hosts: readonly ServedHost[],
  needs: DeploymentSettings,
): OutpostToDeploy {
  const opened = token === null || key === null ? null : openKey(needs.key, token, key);
  if (!opened) throw new DeploymentError('The outpost has no token. Save it to issue a new one.');
  const server = URL.parse(textOf(config.svc_host) || needs.publicUrl);
  if (!server || !/^https?:$/.test(server.protocol) || server.pathname !== '/')
    throw new DeploymentError('svc_host is not the address of the server, such as https://id.example.com.');
  return {
    pk,
    name: objectName(textOf(config.object_naming_template), { pk, name }),
    image: textOf(config.container_image) || needs.outpostImage,
    args: ['outpost', '--server', server.origin],
    env: { HOST: '0.0.0.0', PORT: String(httpPort), ...settingsOf(config), ...envByType[type] },
    token: opened,
    ports: portsByType[type],
    hosts,
    config,
  };
}

function settingsOf(config: JsonObject): Record<string, string> {
  const proxies = asStrings(config.trusted_proxies).join(',');
  return {
    // The process would not start with another.
    GATEHOUSE_LOG_LEVEL: logLevels.find((level) => level === textOf(config.log_level).toLowerCase()) ?? 'info',
    ...(proxies !== '' && { GATEHOUSE_TRUSTED_PROXIES: proxies }),
    ...(config.svc_host_insecure === true && { NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  };
}

const maxNameLength = 50;

/** A name that Docker, Kubernetes and DNS accept. `%(name)s` and `%(uuid)s` stand for those of the outpost. */
export function objectName(template: string, { pk, name }: { readonly pk: string; readonly name: string }): string {
  const uuid = pk.replaceAll('-', '');
  const filled = template.replaceAll('%(name)s', slugify(name) || uuid).replaceAll('%(uuid)s', uuid);
  const clean = filled
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-|-$/g, '');
  // Names of services begin with a letter.
  return /^[a-z]/.test(clean) ? clean : `outpost-${clean || uuid}`.slice(0, maxNameLength);
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');
