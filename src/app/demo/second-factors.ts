import type { DemoWorld } from './demo-world.ts';

/** What people prove beside a password, and what programs fail at. */
export async function makeSecondFactors({ api }: DemoWorld): Promise<void> {
  const keys = { public_key: 'demo-site', private_key: 'demo-secret' };
  await api.ensure('/stages/captcha/', { name: 'Demo: captcha' }, keys);
}
