import { type Browser, openBrowser } from './flow-client.ts';
import { makeWalk } from './make-walk.ts';
import { password } from './second-factor.ts';
import type { TestServer, TestUser } from './server.ts';

const backends = ['svc.core.auth.InbuiltBackend'];

/** A flow that asks for name, password and a device of this class; its slug. */
export async function makeFactorFlow(
  server: TestServer,
  deviceClass: string,
  values: Record<string, unknown> = {},
): Promise<string> {
  const stages = [
    ['identification', { user_fields: ['username'] }],
    ['password', { backends }],
    ['authenticator/validate', { device_classes: [deviceClass], not_configured_action: 'deny', ...values }],
    ['user_login'],
  ] as const;
  return (await makeWalk(server, stages, { designation: 'authentication' })).slug;
}

export interface AtFactor {
  readonly browser: Browser;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly body: any;
  /** The first challenge that is offered, if any. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly offered: any;
}

/** A browser in which a user has given name and password, and is asked for their device. */
export async function atFactor(server: TestServer, flow: string, { username }: TestUser): Promise<AtFactor> {
  const browser = openBrowser(server);
  await browser.show(flow);
  await browser.answer(flow, { uid_field: username });
  const { body } = await browser.answer(flow, { password });
  return { browser, body, offered: body.device_challenges?.[0] };
}
