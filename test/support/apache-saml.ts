import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Apache, runApache, usual } from './apache.ts';
import { hasDebianPackage } from './debian-package.ts';
import type { SpPair } from './saml-sp.ts';

const modules = '/usr/lib/apache2/modules';
const apache = '/usr/sbin/apache2';
const shibd = '/usr/sbin/shibd';

/** A third-party service provider, as a module of Apache. */
export interface SamlModule {
  readonly name: string;
  isThere(): Promise<boolean>;
  /** Attributes that it knows without a map of its own. */
  readonly attributes: 'usual' | 'by OID';
  /** The user `ada` with the principal name `ada@localhost`, as applications behind it see her. */
  readonly ada: string;
  /** Where it takes messages, and where people sign out, below its own address. */
  readonly paths: { readonly acs: string; readonly sls: string; readonly entityId: string; readonly logout: string };
  start(port: number, setup: SamlSetup): Promise<Apache>;
}

export interface SamlSetup {
  readonly idpMetadata: string;
  readonly idpEntityId: string;
  readonly pair: SpPair;
}

const username = 'http://schemas.gatehouse/2021/02/saml/username';

const writeFiles = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
};

export const mellon: SamlModule = {
  name: 'mod_auth_mellon',
  isThere: () => hasDebianPackage('libapache2-mod-auth-mellon', [apache, join(modules, 'mod_auth_mellon.so')]),
  attributes: 'usual',
  ada: 'ada',
  paths: {
    acs: '/mellon/postResponse',
    sls: '/mellon/logout',
    entityId: '/mellon/metadata',
    logout: '/mellon/logout?ReturnTo=',
  },
  start: (port, { idpMetadata, pair }) =>
    runApache(port, {
      loaded: [usual('auth_mellon'), usual('setenvif')],
      directives({ url, folder }) {
        writeFiles(folder, { 'idp.xml': idpMetadata, 'sp.key': pair.key, 'sp.pem': pair.certificate });
        // Its cookies are for TLS otherwise, which browsers drop here.
        return `SetEnvIf Request_URI . MELLON_DISABLE_SAMESITE=1
<Location />
  MellonEnable info
  MellonCookieSameSite Lax
  MellonEndpointPath /mellon
  MellonSPentityId ${url}/mellon/metadata
  MellonSPPrivateKeyFile ${folder}/sp.key
  MellonSPCertFile ${folder}/sp.pem
  MellonIdPMetadataFile ${folder}/idp.xml
  MellonUser ${username}
  MellonSubjectConfirmationDataAddressCheck Off
  MellonRedirectDomains *
</Location>
<Location /protected>
  AuthType Mellon
  MellonEnable auth
  Require valid-user
</Location>
`;
      },
    }),
};

export const shibboleth: SamlModule = {
  name: 'mod_shib',
  isThere: () => hasDebianPackage('libapache2-mod-shib', [apache, join(modules, 'mod_shib.so'), shibd]),
  attributes: 'by OID',
  ada: 'ada@localhost',
  paths: {
    acs: '/Shibboleth.sso/SAML2/POST',
    sls: '/Shibboleth.sso/SLO/Redirect',
    entityId: '/shibboleth',
    logout: '/Shibboleth.sso/Logout?return=',
  },
  async start(port, { idpMetadata, idpEntityId, pair }) {
    let daemon: ChildProcess | null = null;
    const started = await runApache(port, {
      loaded: [`LoadModule mod_shib ${join(modules, 'mod_shib.so')}`],
      directives({ url, folder }) {
        writeFiles(folder, {
          'idp.xml': idpMetadata,
          'sp.key': pair.key,
          'sp.pem': pair.certificate,
          'shibboleth2.xml': shibbolethConfig(folder, url, idpEntityId),
        });
        daemon = spawn(shibd, ['-f', '-F', '-c', join(folder, 'shibboleth2.xml'), '-p', join(folder, 'shibd.pid')], {
          stdio: 'ignore',
        });
        return `ShibConfig ${folder}/shibboleth2.xml
ShibCompatValidUser On
<Location /protected>
  AuthType shibboleth
  ShibRequestSetting requireSession 1
  Require valid-user
</Location>
`;
      },
    });
    return {
      ...started,
      async stop() {
        await started.stop();
        const ended = new Promise<void>((done) => daemon?.once('exit', () => done()));
        daemon?.kill('SIGTERM');
        await ended;
      },
    };
  },
};

const shibbolethConfig = (folder: string, url: string, idp: string): string => {
  const logger = join(folder, 'logger');
  writeFileSync(
    logger,
    `log4j.rootCategory=WARN, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.fileName=${folder}/shib.log
log4j.appender.file.layout=org.apache.log4j.BasicLayout
`,
  );
  return `<SPConfig xmlns="urn:mace:shibboleth:3.0:native:sp:config" clockSkew="180">
  <OutOfProcess logger="${logger}"/>
  <InProcess logger="/etc/shibboleth/native.logger"/>
  <UnixListener address="${folder}/shibd.sock"/>
  <ApplicationDefaults entityID="${url}/shibboleth" REMOTE_USER="eppn subject-id pairwise-id persistent-id" signing="true">
    <Sessions lifetime="28800" timeout="3600" relayState="ss:mem" checkAddress="false" handlerSSL="false"
      cookieProps="http" redirectLimit="exact">
      <SSO entityID="${idp}">SAML2</SSO>
      <Logout>SAML2 Local</Logout>
    </Sessions>
    <MetadataProvider type="XML" validate="false" path="${folder}/idp.xml"/>
    <AttributeExtractor type="XML" validate="false" path="/etc/shibboleth/attribute-map.xml"/>
    <AttributeFilter type="XML" validate="false" path="/etc/shibboleth/attribute-policy.xml"/>
    <CredentialResolver type="File" key="${folder}/sp.key" certificate="${folder}/sp.pem"/>
  </ApplicationDefaults>
  <SecurityPolicyProvider type="XML" validate="false" path="/etc/shibboleth/security-policy.xml"/>
  <ProtocolProvider type="XML" validate="false" reloadChanges="false" path="/etc/shibboleth/protocols.xml"/>
</SPConfig>`;
};
