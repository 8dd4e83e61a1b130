import { parseArgs } from 'node:util';
import { postgresDatabases, sqliteDatabases } from './databases.ts';
import { hasSection, writeSection } from './document.ts';
import { many, measureGrowth } from './growth.ts';
import { compareWithKeycloak } from './keycloak/measure.ts';
import { comparisonTable } from './keycloak/report.ts';
import { measureLdap, usualEntries } from './ldap/measure.ts';
import { ldapTable } from './ldap/report.ts';
import { measureLoad } from './load-users.ts';
import { measureAll } from './measure-all.ts';
import { measureOAuth } from './oauth/measure.ts';
import { measureTokenCost } from './oauth/measure-cost.ts';
import { costTable, oauthTable } from './oauth/report.ts';
import type { BenchOptions } from './options.ts';
import { measurePages } from './pages/measure.ts';
import { pagesTable } from './pages/report.ts';
import { measureForwardAuth } from './proxy/measure.ts';
import { forwardAuthTable } from './proxy/report.ts';
import { growthTable, loadTable, machineLine, operationsTable, scalingTable, serverTable } from './report.ts';
import { measureSaml } from './saml/measure.ts';
import { samlTable } from './saml/report.ts';
import { measureScaling } from './scaling.ts';
import { measureScim, usualUsers } from './scim/measure.ts';
import { scimTable } from './scim/report.ts';
import { measureSync } from './sync/measure.ts';
import { syncTable } from './sync/report.ts';

const usage = `npm run bench -- [options]
  --postgres URL    on new databases on this PostgreSQL server (the role must be allowed to create them)
  --small           in a small installation: 1,000 users, 20 groups, little else
  --large           instead: 10,000 users and 100,000 events beside many of both
  --load            instead: the time to create 10,000 users through the API
  --users N         with --large (1,000,000), --load, --scim or --ldap (10,000)
  --events N        with --large (10,000,000)
  --data FOLDER     with --large: keep the data there, and use it again the next time
  --instances       instead: processor time with one, two and three instances on PostgreSQL
  --oauth           instead: tokens, on SQLite compared with the floor and with oidc-provider
  --keycloak        instead: processor time compared with Keycloak's, on the same PostgreSQL (fetched with Maven)
  --saml            instead: SAML sign-ins, compared with an RSA signature and a durable write (SQLite)
  --sync            instead: a full SCIM run, compared with a loop of fetch
  --scim            instead: users and groups pushed into a SCIM source, compared with one durable write each
  --ldap            instead: searches and binds by LDAP, compared with slapd over the same entries (Debian's slapd)
  --forward-auth    instead: the check of forward auth, compared with a ping
  --pages           instead: interaction to next paint on a long list of the admin pages, in Chromium
  --only TEXT       only rows whose title contains the text
  --seconds N       length of a round (1)
  --rounds N        rounds, alternating between server and floor (7)
  --connections N   open connections (8)
  --profile FOLDER  write a CPU profile of the server there
  --write           put the table into docs/performance.md`;

const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    small: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    users: { type: 'string' },
    events: { type: 'string', default: String(many.events) },
    data: { type: 'string' },
    instances: { type: 'boolean', default: false },
    oauth: { type: 'boolean', default: false },
    keycloak: { type: 'boolean', default: false },
    saml: { type: 'boolean', default: false },
    sync: { type: 'boolean', default: false },
    scim: { type: 'boolean', default: false },
    ldap: { type: 'boolean', default: false },
    'forward-auth': { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '7' },
    connections: { type: 'string', default: '8' },
    profile: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(usage);
  process.exit(0);
}

const options: BenchOptions = {
  databases: values.postgres ? postgresDatabases(values.postgres) : sqliteDatabases(),
  only: values.only,
  isSmall: values.small,
  rounds: {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    connections: Number(values.connections),
  },
  profileFolder: values.profile ?? null,
  say: (line) => console.error(line),
};

const { section, tables } = chosen();
if (values.write && !hasSection(section)) {
  console.error(`--write: docs/performance.md has no section "${section}", so these tables cannot be put there`);
  process.exit(1);
}
const content = [machineLine(options), ...(await tables())].join('\n\n');
console.log(content);
if (values.write) writeSection(section, content);

/** What is measured, and where its tables stand in the document. */
function chosen(): { readonly section: string; tables(): Promise<string[]> } {
  const { kind } = options.databases;
  const users = Number(values.users ?? usualUsers);
  if (values.oauth) {
    const table = async () =>
      kind === 'sqlite' ? oauthTable(await measureOAuth(options)) : costTable(await measureTokenCost(options));
    return { section: `${kind}, tokens`, tables: async () => [await table()] };
  }
  if (values.keycloak)
    return {
      section: `${kind}, keycloak`,
      tables: async () => [comparisonTable(await compareWithKeycloak(options))],
    };
  if (values.saml) return { section: `${kind}, saml`, tables: async () => [samlTable(await measureSaml(options))] };
  if (values.sync) return { section: `${kind}, sync`, tables: async () => [syncTable(await measureSync(options))] };
  if (values.pages) return { section: `${kind}, pages`, tables: async () => [pagesTable(await measurePages(options))] };
  if (values.scim)
    return { section: `${kind}, scim`, tables: async () => [scimTable(await measureScim(options, users))] };
  if (values.ldap)
    return {
      section: `${kind}, ldap`,
      tables: async () => [ldapTable(await measureLdap(options, Number(values.users ?? usualEntries)))],
    };
  if (values['forward-auth'])
    return {
      section: `${kind}, forward auth`,
      tables: async () => [forwardAuthTable(await measureForwardAuth(options))],
    };
  if (values.load)
    return { section: `${kind}, load`, tables: async () => [loadTable(await measureLoad(options, users))] };
  if (values.instances)
    return { section: `${kind}, instances`, tables: async () => [scalingTable(await measureScaling(options))] };
  if (values.large) {
    const sizes = { users: Number(values.users ?? many.users), events: Number(values.events) };
    return {
      section: `${kind}, growth`,
      tables: async () => [growthTable(await measureGrowth(options, sizes, values.data ?? null), sizes)],
    };
  }
  return {
    section: values.small ? `${kind}, small` : kind,
    async tables() {
      const { rows, figures } = await measureAll(options);
      return [operationsTable(rows), ...(figures ? [serverTable(figures)] : [])];
    },
  };
}
