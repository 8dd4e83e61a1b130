import type { Template } from '../template.ts';

export const komga: Template = {
  id: 'komga',
  name: 'Komga',
  about: 'Comics and books',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://comics.example.com',
  redirects: ['{address}/login/oauth2/code/gatehouse'],
  where: 'application.yml',
  setup: `# Users need a verified address.
komga:
  oauth2-account-creation: true
spring:
  security:
    oauth2:
      client:
        registration:
          gatehouse:
            provider: gatehouse
            client-id: {client_id}
            client-secret: {client_secret}
            client-name: Gatehouse
            scope: openid,email,profile
            authorization-grant-type: authorization_code
            redirect-uri: "{baseUrl}/{action}/oauth2/code/{registrationId}"
        provider:
          gatehouse:
            user-name-attribute: sub
            issuer-uri: {issuer}`,
  docs: 'https://komga.org/docs/installation/oauth2/',
};
