import type { Template } from '../template.ts';

export const sonarqube: Template = {
  id: 'sonarqube',
  name: 'SonarQube',
  about: 'Quality of code',
  category: 'Development',
  protocol: 'saml',
  address: 'https://sonar.example.com',
  acs: '{address}/oauth2/callback/saml',
  audience: 'sonarqube',
  where: 'Administration → Configuration → Authentication → SAML',
  setup: `Application ID: sonarqube
Provider ID: {issuer}
SAML login url: {sso_url}
SAML user login attribute: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname
SAML user name attribute: http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name
SAML user email attribute: http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress
Identity provider certificate: in the metadata at {metadata_url}`,
  docs: 'https://docs.sonarsource.com/sonarqube-server/',
  checked: { version: '4edcbb05', date: '2026-11-20', how: 'read' },
};
