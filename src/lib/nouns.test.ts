import { expect, test } from 'vitest';
import { inSentence, withArticle } from './nouns.ts';
import { capitalized } from './spell-out.ts';

test.each([
  ['policy', 'a policy'],
  ['event', 'an event'],
  ['user', 'a user'],
  ['User Login Stage', 'a User Login Stage'],
  ['unit', 'a unit'],
  ['unusual name', 'an unusual name'],
  ['LDAP Source', 'an LDAP Source'],
  ['SMS Device', 'an SMS Device'],
  ['SAML Source', 'a SAML Source'],
  ['SCIM Source', 'a SCIM Source'],
  ['RADIUS Provider', 'a RADIUS Provider'],
  ['TOTP Device', 'a TOTP Device'],
  ['API token', 'an API token'],
  ['URL', 'a URL'],
  ['OAuth Source', 'an OAuth Source'],
  ['OAuth2/OpenID Provider', 'an OAuth2/OpenID Provider'],
  ['Ingress', 'an Ingress'],
  ['AuthnRequest', 'an AuthnRequest'],
  ['', 'a '],
])('the article of “%s”', (noun, expected) => {
  expect(withArticle(noun)).toBe(expected);
});

test('names within and at the start of a sentence', () => {
  expect(['Policy', 'LDAP Source', 'OAuth Source', 'Group LDAP Source Connection'].map(inSentence)).toEqual([
    ...['policy', 'LDAP Source', 'OAuth Source', 'group ldap source connection'],
  ]);
  expect([capitalized('an LDAP Source'), capitalized('')]).toEqual(['An LDAP Source', '']);
});
