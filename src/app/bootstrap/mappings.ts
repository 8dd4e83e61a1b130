import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { scopeMappingName } from '../../provider/install-defaults.ts';
import type { BootstrapStep } from './steps.ts';

interface Mapping {
  readonly managed: string;
  readonly name: string;
  readonly expression: string;
}

interface Scope extends Mapping {
  readonly scope_name: string;
  readonly description: string;
}

const scope = (scope_name: string, description: string, expression: string): Scope => ({
  managed: scopeMappingName(scope_name),
  name: `Gatehouse default OAuth Mapping: scope '${scope_name}'`,
  scope_name,
  description,
  expression,
});

const nothingMore = 'return {};';

const scopes: readonly Scope[] = [
  scope(
    'openid',
    '',
    `// The scope that makes it OpenID Connect; who the user is stands in the protocol's own claims.\n${nothingMore}`,
  ),
  scope(
    'email',
    'Email address',
    `// Whether the address is verified is left out where nothing is known: many applications refuse users with false.
const { email, email_verified } = request.user;
return email_verified === null ? { email } : { email, email_verified };`,
  ),
  scope(
    'profile',
    'Your name and picture',
    `// Standard claims come from the user's attributes of the same names. A full name is never split.
const { user } = request;
const { attributes } = user;
const claims = {
  name: user.name,
  preferred_username: user.username,
  nickname: user.username,
  groups: user.groups.map((group) => group.name),
};
const names = [
  "given_name", "family_name", "middle_name", "nickname", "profile", "picture", "website", "gender", "birthdate",
  "zoneinfo", "locale",
];
for (const name of names) {
  if (typeof attributes[name] === "string" && attributes[name] !== "") claims[name] = attributes[name];
}
claims.updated_at = typeof attributes.updated_at === "number" ? attributes.updated_at : Math.floor(Date.parse(user.updated_at) / 1000);
return claims;`,
  ),
  scope(
    'offline_access',
    'Stay signed in while you are away',
    `// The scope that brings a refresh token.\n${nothingMore}`,
  ),
  scope(
    'gatehouse/api',
    'Gatehouse API Access on behalf of your user',
    `// The scope that lets a token call the API.\n${nothingMore}`,
  ),
  scope(
    'gatehouse_proxy',
    '',
    `// What the proxy needs to know of a user: its headers are made from these.
const attributes = Object.assign({}, ...request.user.groups.map((group) => group.attributes), request.user.attributes);
return {
  gatehouse_proxy: {
    user_attributes: attributes,
    is_superuser: request.user.is_superuser,
  },
};`,
  ),
];

const contactScopes: readonly Scope[] = [
  scope(
    'phone',
    'Phone number',
    `// A number counts as verified when somebody has verified it, and said so in the user's attributes.
const { phone_number, phone_number_verified } = request.user.attributes;
if (typeof phone_number !== "string" || phone_number === "") return {};
return { phone_number, phone_number_verified: phone_number_verified === true };`,
  ),
  scope(
    'address',
    'Postal address',
    `// The attribute is an object as OpenID Connect Core §5.1.1 has it, or the whole address as text.
const { address } = request.user.attributes;
if (typeof address === "string" && address !== "") return { address: { formatted: address } };
if (typeof address !== "object" || address === null || Array.isArray(address)) return {};
return { address };`,
  ),
];

const workspace: readonly Mapping[] = [
  {
    managed: 'gatehouse/providers/workspace_directory/user',
    name: 'Gatehouse default Workspace Directory Mapping: User',
    expression: `// A directory asks for both parts of a name, so that who has only one has it twice.
const words = request.user.name.trim().split(/\\s+/).filter(Boolean);
const givenName = words[0] || request.user.username;
const familyName = words.slice(1).join(" ") || givenName;
return {
  name: { fullName: request.user.name || request.user.username, givenName, familyName },
  suspended: !request.user.is_active,
};`,
  },
  {
    managed: 'gatehouse/providers/workspace_directory/group',
    name: 'Gatehouse default Workspace Directory Mapping: Group',
    expression: 'return { name: group.name };',
  },
];

const scim: readonly Mapping[] = [
  {
    managed: 'gatehouse/providers/scim/user',
    name: 'Gatehouse default SCIM Mapping: User',
    expression: `// SCIM has two parts of a name: what stands before the first space, and the rest.
const [givenName, ...rest] = user.name.split(" ");
const familyName = rest.length > 0 ? rest.join(" ") : " ";
const locale = user.attributes.settings && user.attributes.settings.locale;
const data = {
  userName: user.username,
  name: { formatted: givenName + " " + (rest.length > 0 ? familyName : ""), givenName, familyName },
  displayName: user.name,
  active: user.is_active,
};
if (/^https?:/.test(user.avatar)) data.photos = [{ value: user.avatar, type: "photo" }];
if (typeof locale === "string" && locale !== "") data.locale = locale;
if (user.email !== "") data.emails = [{ value: user.email, type: "other", primary: true }];
return data;`,
  },
  {
    managed: 'gatehouse/providers/scim/group',
    name: 'Gatehouse default SCIM Mapping: Group',
    expression: 'return { displayName: group.name };',
  },
];

const cloud: readonly Mapping[] = [
  {
    managed: 'gatehouse/providers/cloud_directory/user',
    name: 'Gatehouse default Cloud Directory Mapping: User',
    expression: `// A nickname is what stands before the @, without signs that the directory takes in none.
const nickname = user.username.split("@")[0].normalize("NFKD").replace(/[^!-~]|[()\\\\[\\]";:<>,]/g, "")
  .replace(/\\.{2,}/g, ".").slice(0, 64).replace(/^\\.|\\.$/g, "");
// Existing users of the directory keep the immutable id that links the account to its origin.
const data = {
  displayName: user.name || user.username,
  accountEnabled: user.is_active,
  mailNickname: nickname || "user-" + user.pk,
  userPrincipalName: user.email,
};
const immutableId = connection ? connection.onPremisesImmutableId : user.uid;
if (immutableId) data.onPremisesImmutableId = immutableId;
return data;`,
  },
  {
    managed: 'gatehouse/providers/cloud_directory/group',
    name: 'Gatehouse default Cloud Directory Mapping: Group',
    expression: `return {
  displayName: group.name,
  mailEnabled: false,
  securityEnabled: true,
  // A name in another script has no slug.
  mailNickname: slugify(group.name).slice(0, 64) || "group-" + group.pk,
};`,
  },
];

/** The default mappings of scopes and directories. */
export const mappings: BootstrapStep = {
  name: 'mappings',
  async run({ ensure }) {
    for (const { managed, ...values } of scopes) await ensure('svc_providers_oauth2.scopemapping', { managed }, values);
    for (const { managed, ...values } of workspace) {
      await ensure('svc_providers_workspace_directory.workspacedirectoryprovidermapping', { managed }, values);
    }
  },
};

/** What earlier versions called scopes where people are asked for consent. */
const formerDescriptions: Readonly<Record<string, string>> = {
  profile: 'General Profile Information',
  offline_access: 'Access to request new tokens without interaction',
};

/** Updates descriptions, except those that administrators have edited. */
export const scopeDescriptions: BootstrapStep = {
  name: 'scope-descriptions',
  async run({ tx }) {
    for (const { scope_name, description } of scopes)
      await sql`update mapping_scope set description = ${description}
        where scope_name = ${scope_name} and description = ${formerDescriptions[scope_name] ?? null}`.execute(tx);
  },
};

/** A step of its own, so that databases from before these scopes get them too. */
export const contactMappings: BootstrapStep = {
  name: 'contact-mappings',
  async run({ ensure }) {
    for (const { managed, ...values } of contactScopes) {
      await ensure('svc_providers_oauth2.scopemapping', { managed }, values);
    }
  },
};

/** A step of its own, so that databases from before these kinds of provider get them too. */
export const syncMappings: BootstrapStep = {
  name: 'sync-mappings',
  async run({ ensure }) {
    for (const { managed, ...values } of scim) await ensure('svc_providers_scim.scimmapping', { managed }, values);
    for (const { managed, ...values } of cloud) {
      await ensure('svc_providers_cloud_directory.clouddirectoryprovidermapping', { managed }, values);
    }
  },
};

/** Digests of the expressions that earlier versions shipped. */
const formerCloud: Readonly<Record<string, string>> = {
  'gatehouse/providers/cloud_directory/user': 'i5RIM4V4HxnQTxOmhgwMfoeVyJwNY/FQG7oaosHw0UM=',
  'gatehouse/providers/cloud_directory/group': 'tlROD8woJgp2o5/7YMJGPIOG4jfQrju0B9iSFkppRqQ=',
};

/** Updates shipped mappings, except those that administrators have edited. */
export const cloudNicknames: BootstrapStep = {
  name: 'cloud-nicknames',
  async run({ tx }) {
    for (const { managed, expression } of cloud) {
      const { rows } = await sql<{ pk: string; expression: string }>`select pk, expression from property_mappings
        where managed = ${managed}`.execute(tx);
      for (const row of rows) {
        if (hash('sha256', row.expression, 'base64') !== formerCloud[managed]) continue;
        await sql`update property_mappings set expression = ${expression} where pk = ${row.pk}`.execute(tx);
      }
    }
  },
};
