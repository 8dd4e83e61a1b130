import type { DemoWorld } from './demo-world.ts';

/** What people prove beside a password, and what programs fail at. */
export async function makeSecondFactors({ api }: DemoWorld): Promise<void> {
  const keys = { public_key: 'demo-site', private_key: 'demo-secret' };
  await api.ensure('/stages/captcha/', { name: 'Demo: captcha' }, keys);
  const app = await api.ensure('/stages/authenticator/totp/', { name: 'Demo: app' }, { digits: '8' });
  await api.ensure(
    '/stages/authenticator/sms/',
    { name: 'Demo: phone' },
    { provider: 'generic', from_number: '+15550100', account_sid: 'https://messages.example.com/', auth: 'demo-token' },
  );
  await api.ensure(
    '/stages/authenticator/twofactor/',
    { name: 'Demo: push' },
    { client_id: 'demo', client_secret: 'demo-secret', api_hostname: 'push.example.com' },
  );
  const codes = await api.ensure('/stages/authenticator/static/', { name: 'Demo: codes' }, { token_count: 10 });
  await api.ensure(
    '/stages/authenticator/validate/',
    { name: 'Demo: two factors' },
    {
      not_configured_action: 'configure',
      configuration_stages: [app.pk, codes.pk],
      last_auth_threshold: 'hours=8',
    },
  );
  // Not confirmed by anybody: they are seen in lists and keep nobody from signing in.
  for (const kind of ['totp', 'static', 'webauthn', 'sms', 'twofactor']) {
    await api.ensure(`/authenticators/admin/${kind}/`, { name: `Demo: ${kind}` });
  }
}
