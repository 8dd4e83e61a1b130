import { expect, test } from 'vitest';
import { appLabel } from './app-label.ts';

test.each([
  ['svc_core', 'Core'],
  ['svc_rbac', 'RBAC'],
  ['svc_policies', 'Policies'],
  ['svc_providers_rac', 'Providers.RAC'],
  ['svc_policies_event_matcher', 'Policies.Event Matcher'],
  ['svc_providers_oauth2', 'Providers.OAuth2'],
])('the app %s is shown as %s', (app, label) => {
  expect(appLabel(app)).toBe(label);
});
