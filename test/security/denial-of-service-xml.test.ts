import { beforeAll, describe, expect, test } from 'vitest';
import { readMessage, responseLimits } from '../../src/lib/saml/message.ts';
import { namespacesOf, type XmlElement } from '../../src/lib/xml/element.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { asForm, stranger, visitor } from '../support/relying-party.ts';
import { type IdpKey, idpKey } from '../support/saml-idp.ts';
import { authnRequest, encoded, makeServiceProvider, redirectQuery } from '../support/saml-sp.ts';
import { describeOnSqlite } from '../support/server.ts';

const declarations = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ` xmlns:n${from + at}="urn:${from + at}"`).join('');

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe('namespaces of XML from strangers', () => {
  test('a document declares at most 100 different ones, wherever they are', () => {
    const spread = (count: number) =>
      `<a>${Array.from({ length: count / 2 }, (_, at) => `<b${declarations(2, 2 * at)}/>`).join('')}</a>`;
    expect(readMessage(spread(100)).local).toBe('a');
    expect(() => readMessage(spread(102))).toThrow('declares more than 100 namespaces');
    expect(() => readMessage(`<a${declarations(51)}><b${declarations(51, 51)}/></a>`)).toThrow(
      'declares more than 100 namespaces',
    );
  });

  test('the same two on each of a thousand values are accepted', () => {
    const value =
      '<v xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">group</v>';
    expect(readMessage(`<a>${value.repeat(1_000)}</a>`, responseLimits).children).toHaveLength(1_000);
  });

  test('an inner declaration replaces an outer one', () => {
    const root = readMessage('<a xmlns="urn:1" xmlns:p="urn:2"><b xmlns:p="urn:3"><p:c xmlns=""/></b></a>');
    const inner = (root.children[0] as XmlElement).children[0] as XmlElement;
    expect([inner.namespace, Object.fromEntries(namespacesOf(inner))]).toEqual(['urn:3', { '': '', p: 'urn:3' }]);
  });

  // Took seconds, as each element copied what the elements around it had declared.
  test('many declarations at each depth are read quickly', () => {
    const deep = `<b${declarations(60)}>`.repeat(40) + '<b xmlns:x="urn:x"/>'.repeat(400) + '</b>'.repeat(40);
    const least = Math.min(...Array.from({ length: 3 }, () => processorMs(() => readMessage(deep))));
    expect(least).toBeLessThan(100);
  });

  test('an element with too many attributes is refused before it is complete', () => {
    expect(() => readMessage(`<a${Array.from({ length: 65 }, (_, at) => ` a${at}=""`).join('')} <`)).toThrow(
      'more than 64 attributes',
    );
  });
});

describeOnSqlite('SAML messages of strangers', (server) => {
  let key: IdpKey;
  beforeAll(async () => {
    key = await idpKey();
  });
  const walk = samlWalk(server, () => key);

  test('count towards the limit of anonymous requests, before they are read', async () => {
    const provider = await makeServiceProvider(server());
    const { slug } = await walk.source();
    const ways = () => [
      stranger(server()).visit(`${provider.at('sso/binding/redirect/')}?${redirectQuery(authnRequest())}`),
      stranger(server()).visit(provider.at('sso/binding/post/'), asForm({ SAMLRequest: encoded(authnRequest()) })),
      stranger(server()).visit(provider.at('slo/binding/soap/'), { method: 'POST', body: '<a/>' }),
      stranger(server()).visit(`/source/saml/${slug}/slo/?${redirectQuery('<a/>')}`),
    ];
    const before = await Promise.all(ways());
    expect(before.map(({ status }) => status)).not.toContain(429);
    for (let n = 0; n < 1_000; n += 50) {
      await Promise.all(Array.from({ length: 50 }, () => server().nobody.get('/core/groups/')));
    }
    const after = await Promise.all(ways());
    expect(after.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    const someone = await visitor(server());
    const message = `${provider.at('sso/binding/redirect/')}?${redirectQuery(authnRequest())}`;
    expect((await someone.visit(message)).status).not.toBe(429);
  });
});
