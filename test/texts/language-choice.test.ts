import { afterAll, expect, test } from 'vitest';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { startMailReceiver, startWebhookReceiver } from '../support/receivers.ts';
import { linkIn, makeRecovery, readMails } from '../support/recovery.ts';
import { adminToken, describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const mail = await startMailReceiver();
const hook = await startWebhookReceiver();
afterAll(() => Promise.all([mail.close(), hook.close()]));

const spanish = { 'accept-language': 'nl, es-MX;q=0.9, en;q=0.5' };
const signInPage = `/if/flow/${signInFlow}/`;

describeOnSqlite(
  'the language of what people see',
  (server) => {
    const brandSpeaks = async (locale: string) => {
      const { results } = (await server().admin.get('/core/brands/?default=true')).body;
      await server().admin.patch(`/core/brands/${results[0].brand_uuid}/`, { attributes: { settings: { locale } } });
    };
    const documentOf = async (path: string, headers: Record<string, string>): Promise<string> => {
      const answer = await fetch(`${server().url}${path}`, { headers: { accept: 'text/html', ...headers } });
      return (
        /<html lang="(\w+)" dir="(\w+)"/
          .exec(await answer.text())
          ?.slice(1)
          .join(' ') ?? ''
      );
    };

    test('is the user’s, else the brand’s, else the browser’s, else English', async () => {
      const { pk } = await server().user([], { attributes: { settings: { locale: 'ar' } } });
      const { cookie } = await signIn(server(), pk);
      const paths = [signInPage, '/no/such/page'];
      const languagesOf = (headers: Record<string, string>) =>
        Promise.all(paths.map((path) => documentOf(path, headers)));
      expect(await languagesOf({})).toEqual(['en ltr', 'en ltr']);
      expect(await languagesOf(spanish)).toEqual(['es ltr', 'es ltr']);
      expect(await languagesOf({ ...spanish, cookie })).toEqual(['ar rtl', 'ar rtl']);
      await brandSpeaks('de');
      expect(await languagesOf(spanish)).toEqual(['de ltr', 'de ltr']);
      expect(await languagesOf({ ...spanish, cookie })).toEqual(['ar rtl', 'ar rtl']);
      expect(await documentOf('/if/user/', { ...spanish, cookie })).toBe('ar rtl');
      await brandSpeaks('');
    });

    test('is that of challenges, their errors and refusals, while administrators’ words and the API stay', async () => {
      const browser = openBrowser(server(), spanish);
      const first = await browser.show(signInFlow);
      expect(first.body.flow_info.title).toBe('¡Bienvenido a Gatehouse!');
      expect(first.body.primary_action).toBe('Continuar');
      const refused = await browser.answer(signInFlow, { uid_field: '' });
      expect(refused.body.response_errors.uid_field[0].string).toBe('Este campo no puede estar vacío.');

      await server().admin.patch(`/flows/instances/${signInFlow}/`, { title: 'Staff entrance' });
      expect((await browser.show(signInFlow)).body.flow_info.title).toBe('Staff entrance');
      await server().admin.patch(`/flows/instances/${signInFlow}/`, { title: 'Welcome to Gatehouse!' });

      const api = await fetch(`${server().url}/api/v3/core/users/`, { headers: spanish });
      expect(await api.json()).toMatchObject({ detail: 'Authentication credentials were not provided.' });
    });

    test('is that of events: the caller’s setting, else what they accept, else English', async () => {
      const german = await server().user(['svc_events.view_event'], { attributes: { settings: { locale: 'de' } } });
      const name = unique('staff');
      await server().admin.post('/core/groups/', { name });
      const sentenceFor = async (token: string, headers: Record<string, string> = {}) => {
        const path = `/api/v3/events/events/?action=model_created&search=${name}`;
        const sent = { authorization: `Bearer ${token}`, ...headers };
        const answer = await fetch(`${server().url}${path}`, { headers: sent });
        return Object(await answer.json()).results[0].sentence;
      };
      expect(await sentenceFor(adminToken)).toBe(`admin created the group ${name}.`);
      expect(await sentenceFor(adminToken, spanish)).toBe(`admin ha creado el grupo ${name}.`);
      expect(await sentenceFor(german.token, spanish)).toBe(`admin hat die Gruppe ${name} erstellt.`);
    });

    test('is that of mails: the user’s, else that of the browser that asked', async () => {
      const walk = await makeRecovery(server());
      const mailTo = async (attributes: Record<string, unknown>) => {
        mail.mails.length = 0;
        const user = await server().user([], { email: `${unique('me')}@example.org`, name: 'Ada', attributes });
        const browser = openBrowser(server(), spanish);
        await browser.show(walk.slug);
        await browser.answer(walk.slug, { uid_field: user.username });
        await quiet(server());
        expect(linkIn(mail).pathname).toBe(`/if/flow/${walk.slug}/`);
        return Buffer.from(mail.mails[0]?.text ?? '').toString();
      };
      expect(await mailTo({ settings: { locale: 'de' } })).toContain('Guten Tag Ada');
      expect(await mailTo({})).toContain('Hola, Ada:');
    });

    test('is that of notifications and their mails: the recipient’s, else English, while webhooks are in English', async () => {
      const { admin, user } = server();
      const person = (name: string, attributes = {}) =>
        user([], { name, username: unique(name), email: `${unique(name)}@example.org`, attributes });
      const greta = await person('Greta', { settings: { locale: 'de' } });
      const nora = await person('Nora');
      const make = async (path: string, values: Record<string, unknown>): Promise<string> => {
        const { status, body } = await admin.post(path, { name: unique('told'), ...values });
        expect([path, status]).toEqual([path, 201]);
        return body.pk;
      };
      const modes = [{ mode: 'local' }, { mode: 'email' }, { mode: 'webhook', webhook_url: hook.url }];
      const transports = await Promise.all(modes.map((values) => make('/events/transports/', values)));
      const group = await make('/core/groups/', { users: [greta.pk, nora.pk] });
      const target = await make('/events/rules/', { group, transports, severity: 'alert' });
      const matched = { action: 'model_created', model: 'svc_rbac.role' };
      const policy = await make('/policies/event_matcher/', matched);
      await admin.post('/policies/bindings/', { target, policy, order: 0 });
      mail.mails.length = 0;
      hook.bodies.length = 0;
      const name = unique('auditor');
      await make('/rbac/roles/', { name });
      await quiet(server());

      const english = `admin created the role ${name}.`;
      const german = `admin hat die Rolle ${name} erstellt.`;
      const shownTo = async ({ api }: typeof greta) =>
        (await api.get('/events/notifications/')).body.results.map(({ body }: { body: string }) => body);
      expect(await shownTo(greta)).toEqual([german]);
      expect(await shownTo(nora)).toEqual([english]);
      const texts = readMails(mail);
      expect(texts).toHaveLength(2);
      const mailTo = (who: string) => texts.find((text) => text.includes(who));
      expect(mailTo('Guten Tag Greta')).toContain(german);
      expect(mailTo('Guten Tag Greta')).toContain('Benutzer: admin');
      expect(mailTo('Hello Nora,')).toContain(english);
      expect(hook.bodies.map(({ body, user_username }) => [user_username, body]).toSorted()).toEqual(
        [greta, nora].map(({ username }) => [username, english]).toSorted(),
      );
    });
  },
  {
    env: {
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
      GATEHOUSE_SMTP_URL: mail.url,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
    },
  },
);
