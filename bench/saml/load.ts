import { deflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import type { World } from '../../src/app/world.ts';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { headersOf } from '../capture.ts';
import type { FloorOrder } from '../oauth/floor.ts';
import type { Supply } from '../oauth/supply.ts';
import { makeObject } from '../open-app.ts';
import { sessionCookie } from '../session.ts';

const acs = 'https://app.example/acs';

export interface LoadedSaml {
  /** Signs the responses, and the floor's too. */
  readonly privateKey: string;
  readonly supply: Supply;
  readonly floor: FloorOrder;
}

/** An application with the seven managed mappings, and a user with a session who needs no consent. */
export async function loadSaml(world: World, url: string): Promise<LoadedSaml> {
  const names = { commonName: 'bench', subjectAltNames: [], validityDays: 1 };
  const pair = await generateCertificate({ ...names, algorithm: 'rsa', rsaBits: 2048 });
  const signing = { name: 'bench', certificate_data: pair.certificate, key_data: pair.key };
  const { rows } = await sql<{ pk: string }>`select pk from flows
    where slug = 'default-provider-authorization-implicit-consent'`.execute(world.db.read);
  const provider = await makeObject(url, '/providers/saml/', {
    name: 'bench',
    authorization_flow: rows[0]?.pk,
    acs_url: acs,
    audience: 'https://app.example/metadata',
    signing_kp: (await makeObject(url, '/crypto/certificatekeypairs/', signing)).pk,
  });
  await makeObject(url, '/core/applications/', { name: 'Bench', slug: 'bench', provider: provider.pk });
  const user = await makeObject(url, '/core/users/', { username: 'ada', name: 'Ada', email: 'ada@example.com' });
  const cookie = await sessionCookie(world, Number(user.pk));

  const query = new URLSearchParams({ SAMLRequest: deflateRawSync(authnRequest()).toString('base64') });
  const path = `/application/saml/bench/sso/binding/redirect/?${query}`;
  const answer = await fetch(`${url}${path}`, { headers: { cookie } });
  const page = await answer.text();
  if (!page.includes('SAMLResponse')) throw new Error(`no user was signed in: ${answer.status} ${page}`);
  return {
    privateKey: pair.key,
    supply: { method: 'GET', path, requests: [{ authorization: '', cookie, form: null }], isSingleUse: false },
    floor: { headers: headersOf(answer.headers), body: { page, signature: 'head.content' }, signed: ['signature'] },
  };
}

/** A request is taken for ten minutes, which is longer than a run. */
const authnRequest = () =>
  `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_bench" Version="2.0" IssueInstant="${new Date().toISOString()}" AssertionConsumerServiceURL="${acs}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://app.example/metadata</saml:Issuer></samlp:AuthnRequest>`;
