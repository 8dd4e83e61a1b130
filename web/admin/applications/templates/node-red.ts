import type { Template } from '../template.ts';

export const nodeRed: Template = {
  id: 'node-red',
  name: 'Node-RED',
  about: 'Flows between devices and services',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://nodered.example.com',
  redirects: ['{address}/auth/strategy/callback'],
  where: 'settings.js → adminAuth',
  setup: `// Once, in the user folder of Node-RED: npm install passport-openidconnect
adminAuth: {
  type: "strategy",
  strategy: {
    name: "openidconnect",
    label: "Sign in with Gatehouse",
    icon: "fa-sign-in",
    strategy: require("passport-openidconnect").Strategy,
    options: {
      issuer: "{issuer}",
      authorizationURL: "{authorize_url}",
      tokenURL: "{token_url}",
      userInfoURL: "{userinfo_url}",
      clientID: "{client_id}",
      clientSecret: "{client_secret}",
      callbackURL: "{address}/auth/strategy/callback",
      scope: ["profile", "email"],
      verify: (issuer, profile, done) => done(null, profile),
    },
  },
  users: (username) => Promise.resolve({ username, permissions: "*" }),
},`,
  docs: 'https://nodered.org/docs/user-guide/runtime/securing-node-red',
  checked: { version: '4.1.15', date: '2026-11-20', how: 'run' },
};
