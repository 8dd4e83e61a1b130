import { expect, test } from 'vitest';
import { appName, assignableModels } from './models.ts';

test.each([
  ['svc_core', 'Gatehouse Core'],
  ['svc_rbac', 'Gatehouse RBAC'],
  ['svc_policies', 'Gatehouse Policies'],
  ['svc_policies_event_matcher', 'Gatehouse Policies.Event Matcher'],
  ['svc_providers_oauth2', 'Gatehouse Providers.OAuth2'],
  ['svc_stages_authenticator_webauthn', 'Gatehouse Stages.Authenticator WebAuthn'],
])('the app %s is called %s', (app, name) => {
  expect(appName(app)).toBe(name);
});

test('there are 89 models on which permissions are assigned, each once', () => {
  expect(new Set(assignableModels).size).toBe(89);
  expect(assignableModels.every((model) => /^svc_[a-z0-9_]+\.[a-z0-9]+$/.test(model))).toBe(true);
});
