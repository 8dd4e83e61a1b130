import { titleForApplications } from '../../flow/executor/challenge.ts';

interface FirstFlow {
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly designation: string;
  readonly authentication: string;
}

const welcome = 'Welcome to Gatehouse!';

export const flows: readonly FirstFlow[] = [
  flow('default-authentication-flow', 'authentication', 'none', welcome),
  flow('default-source-authentication', 'authentication', 'require_unauthenticated', welcome),
  flow('default-source-enrollment', 'enrollment', 'none', 'Welcome to Gatehouse! Please select a username.'),
  flow('default-source-pre-authentication', 'stage_configuration', 'none', 'Pre-authentication'),
  flow('default-invalidation-flow', 'invalidation', 'none', 'Default Invalidation Flow', 'Logout'),
  authorization('default-provider-authorization-explicit-consent'),
  authorization('default-provider-authorization-implicit-consent'),
  configuration('default-password-change', 'Change password', 'Change Password'),
  configuration('default-user-settings-flow', 'Update your info', 'User settings'),
  configuration('default-authenticator-totp-setup', 'Set up an authenticator app'),
  configuration('default-authenticator-static-setup', 'Get recovery codes'),
  configuration('default-authenticator-webauthn-setup', 'Add a passkey'),
  // The first administrator has a password from the start, so no other visitor can set it (first-run takeover).
  flow('initial-setup', 'stage_configuration', 'require_superuser', welcome, 'default-oobe-setup'),
];

function flow(
  slug: string,
  designation: string,
  authentication: string,
  title: string,
  name: string = title,
): FirstFlow {
  return { slug, name, title, designation, authentication };
}

function authorization(slug: string): FirstFlow {
  return flow(slug, 'authorization', 'require_authenticated', titleForApplications, 'Authorize Application');
}

function configuration(slug: string, title: string, name: string = slug): FirstFlow {
  return flow(slug, 'stage_configuration', 'require_authenticated', title, name);
}
