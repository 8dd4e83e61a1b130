import { expect, test } from 'vitest';
import { asked } from '../support/denied-request.ts';
import { eventsDuring } from '../support/events.ts';
import { made, unique } from '../support/make-walk.ts';
import { makeRelyingParty, visitor } from '../support/relying-party.ts';
import { authnRequest, makeServiceProvider, redirectQuery } from '../support/saml-sp.ts';
import { describeOnBoth } from '../support/server.ts';

describeOnBoth('policies of an application have their effects when it is used', (server) => {
  async function bindLogged(target: string, expression: string): Promise<void> {
    const policy = { name: unique('policy'), expression, execution_logging: true };
    const { pk } = await made(server(), '/policies/expression/', policy);
    await made(server(), '/policies/bindings/', { target, policy: pk, order: 0 });
  }

  /** What policies did, and by which application people were let in or refused. */
  const effectsOf = async (work: () => Promise<unknown>) =>
    (await eventsDuring(server(), work))
      .filter(({ action }) => action.startsWith('policy_'))
      .map(({ action, context }) => [action, context.message]);

  /** A user authorizes: what policies did, and what the client was told. */
  async function authorize(party: Awaited<ReturnType<typeof makeRelyingParty>>) {
    const browser = await visitor(server());
    let told: URLSearchParams | undefined;
    const effects = await effectsOf(async () => {
      told = (await browser.authorize(asked(party))).location?.searchParams;
    });
    return { effects, told };
  }

  const executed = ['policy_execution', 'Policy Execution'];
  const failed = ['policy_exception', expect.stringContaining('nothing')];
  const refused = ['policy_execution', 'The bindings of the application deny access to the user.'];

  test('an authorization logs its decision once, and a list of applications none', async () => {
    const party = await makeRelyingParty(server());
    await bindLogged(party.application.pk, 'return true');
    const { effects, told } = await authorize(party);
    expect(told?.get('code')).toEqual(expect.any(String));
    expect(effects).toEqual([executed]);
    const look = async () => {
      expect((await server().admin.get('/core/applications/')).status).toBe(200);
      expect((await server().admin.get(`/core/applications/${party.slug}/check_access/`)).body.passing).toBe(true);
    };
    expect(await effectsOf(look)).toEqual([]);
  });

  test('a policy that fails is told of besides the refusal', async () => {
    const party = await makeRelyingParty(server());
    await bindLogged(party.application.pk, 'return nothing.at.all');
    const { effects, told } = await authorize(party);
    expect(told?.get('error')).toBe('access_denied');
    expect(effects).toEqual([failed, refused]);
  });

  test('SAML applications likewise', async () => {
    const sp = await makeServiceProvider(server());
    await bindLogged(sp.application.pk, 'return true');
    const browser = await visitor(server());
    const visit = async () => {
      const { status } = await browser.visit(`${sp.at('sso/binding/redirect/')}?${redirectQuery(authnRequest())}`);
      expect(status).toBe(200);
    };
    expect(await effectsOf(visit)).toEqual([executed]);
  });
});
