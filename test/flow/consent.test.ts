import { expect, test } from 'vitest';
import { type FlowPlan, savePlan } from '../../src/flow/plan.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { type Browser, openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique, type Walk } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const clock = { at: Date.parse('2033-01-02T03:04:05Z'), now: () => toTimestamp(clock.at) };
const week = 7 * 86_400_000;
const done = 'xak-flow-redirect';
const asks = 'xak-stage-consent';

describeOnBoth(
  'the consent stage',
  (server) => {
    /** A person, an application, and a flow that asks the one about the other. */
    async function between(settings: Record<string, unknown>) {
      const user = await server().user();
      const slug = unique('app');
      const application = (await made(server(), '/core/applications/', { name: slug, slug })).pk as string;
      const walk = await makeWalk(server(), [['consent', settings]]);
      return { user, application, walk };
    }
    type Parties = Awaited<ReturnType<typeof between>>;

    /** Begins the flow as a provider does for a user who wants to use an application. */
    async function begin({ user, application, walk }: Parties, scopes: readonly string[]): Promise<Browser> {
      const plan: FlowPlan = {
        flow: { pk: walk.pk, slug: walk.slug },
        sso: false,
        source: null,
        pending_user: user.pk,
        prompt_data: {},
        context: {
          application,
          consent_header: 'The application asks for:',
          consent_permissions: scopes.map((id) => ({ id, name: `may ${id}` })),
        },
        append: [],
      };
      const { db, key } = server().world;
      const browser = openBrowser(server());
      const token = await db.write((tx) => savePlan(tx, key, plan, clock.now()));
      browser.cookies.set('gatehouse_flow_plan', token);
      return browser;
    }

    const asked = async (parties: Parties, scopes: readonly string[] = ['email', 'profile']) =>
      (await (await begin(parties, scopes)).show(parties.walk.slug)).body;
    const agree = async (parties: Parties, scopes: readonly string[] = ['email', 'profile']) => {
      const browser = await begin(parties, scopes);
      const { token } = (await browser.show(parties.walk.slug)).body;
      return (await browser.answer(parties.walk.slug, { token })).body.component;
    };
    const stored = async ({ user }: Parties) => (await user.api.get('/core/user_consent/')).body.results;

    test('shows what is requested, and accepts only the answer to its own challenge', async () => {
      const parties = await between({ mode: 'permanent' });
      const browser = await begin(parties, ['email']);
      const { slug } = parties.walk as Walk;
      const shown = (await browser.show(slug)).body;
      expect(shown).toMatchObject({
        component: asks,
        pending_user: parties.user.username,
        header_text: 'The application asks for:',
        permissions: [{ id: 'email', name: 'may email' }],
      });
      const other = (await (await begin(parties, ['email'])).show(slug)).body.token;
      for (const token of ['', 'guessed', other]) {
        const wrong = await browser.answer(slug, { token });
        expect([wrong.body.component, Object.keys(wrong.body.response_errors)]).toEqual([asks, ['token']]);
      }
      expect(await stored(parties)).toEqual([]);
      expect((await browser.answer(slug, { token: shown.token })).body.component).toBe(done);
    });

    test('denies access on a refusal where the plan has no way to handle it, and stores nothing', async () => {
      const parties = await between({ mode: 'permanent' });
      const browser = await begin(parties, ['email']);
      const { slug } = parties.walk as Walk;
      const { token } = (await browser.show(slug)).body;
      expect((await browser.answer(slug, { token: 'guessed', refused: true })).body.component).toBe(asks);
      expect((await browser.answer(slug, { token, refused: 'perhaps' })).body.component).toBe(asks);
      expect((await browser.answer(slug, { token, refused: true })).body).toMatchObject({
        component: 'xak-stage-access-denied',
        error_message: 'You did not agree.',
      });
      expect(await stored(parties)).toEqual([]);
    });

    test('always_require asks each time and stores nothing', async () => {
      const parties = await between({ mode: 'always_require' });
      expect(await agree(parties)).toBe(done);
      expect(await stored(parties)).toEqual([]);
      expect((await asked(parties)).component).toBe(asks);
    });

    test('permanent asks once, for the same scopes in any order', async () => {
      const parties = await between({ mode: 'permanent' });
      expect(await agree(parties)).toBe(done);
      expect(await stored(parties)).toMatchObject([
        {
          expiring: false,
          expires: null,
          permissions: 'email profile',
          application: { pk: parties.application },
          user: { pk: parties.user.pk },
        },
      ]);
      clock.at += 520 * week;
      expect((await asked(parties, ['profile', 'email'])).component).toBe(done);
      expect((await asked(parties, ['profile', 'email', 'groups'])).component).toBe(asks);
      const someoneElse = { ...parties, user: await server().user() };
      expect((await asked(someoneElse)).component).toBe(asks);
      clock.at -= 520 * week;
    });

    test('expiring asks again after expiry, before any clean-up, and renews the consent', async () => {
      const parties = await between({ mode: 'expiring', consent_expire_in: 'weeks=1' });
      expect(await agree(parties)).toBe(done);
      expect(await stored(parties)).toMatchObject([{ expiring: true, expires: toTimestamp(clock.at + week) }]);
      clock.at += week - 1;
      expect((await asked(parties)).component).toBe(done);
      clock.at += 1;
      expect((await asked(parties)).component).toBe(asks);
      expect(await agree(parties)).toBe(done);
      expect(await stored(parties)).toMatchObject([{ expires: toTimestamp(clock.at + week) }]);
      expect((await asked(parties)).component).toBe(done);
    });

    test('tells what is new since the last consent that is valid', async () => {
      const parties = await between({ mode: 'permanent' });
      const lists = async (scopes: readonly string[]) => {
        const { permissions, additional_permissions } = await asked(parties, scopes);
        return [permissions, additional_permissions].map((list) => list.map(({ id }: { id: string }) => id));
      };
      expect(await lists(['email', 'profile'])).toEqual([['email', 'profile'], []]);
      expect(await agree(parties, ['email'])).toBe(done);
      expect(await lists(['email', 'profile', 'groups'])).toEqual([['email'], ['profile', 'groups']]);
      expect(await agree(parties, ['email', 'profile'])).toBe(done);
      expect(await lists(['profile', 'groups'])).toEqual([['profile'], ['groups']]);
      const elsewhere = await between({ mode: 'permanent' });
      expect((await asked({ ...elsewhere, user: parties.user })).additional_permissions).toEqual([]);
    });

    test.each(['permanent', 'always_require'])(
      'ends with a message if the application is deleted while the page is open (%s)',
      async (mode) => {
        const parties = await between({ mode });
        const browser = await begin(parties, ['email']);
        const { slug } = parties.walk;
        const { token } = (await browser.show(slug)).body;
        const { body } = await server().admin.get('/core/applications/?page_size=100');
        const application = body.results.find(({ pk }: { pk: string }) => pk === parties.application);
        expect((await server().admin.delete(`/core/applications/${application.slug}/`)).status).toBe(204);
        const answer = await browser.answer(slug, { token });
        if (mode === 'permanent')
          expect(answer.body).toMatchObject({
            component: 'xak-stage-access-denied',
            error_message: 'This application is not here any more.',
          });
        expect(answer.body.component).not.toBe('xak-stage-flow-error');
        expect(await stored(parties)).toEqual([]);
      },
    );

    test('asks again once a consent was withdrawn', async () => {
      const parties = await between({ mode: 'permanent' });
      await agree(parties);
      const [consent] = await stored(parties);
      expect((await parties.user.api.delete(`/core/user_consent/${consent.pk}/`)).status).toBe(204);
      expect((await asked(parties)).component).toBe(asks);
    });
  },
  { clock },
);
