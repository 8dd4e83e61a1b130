import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitAdmin } from '../support/admin-visit.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { json, loopbackAllowed, type Service, startService } from '../support/service.ts';

describeJourney(
  'the screens of flows',
  (journey) => {
    test('an invitation leads to an account, once', async () => {
      const { server } = journey();
      const fields = [
        await makePrompt(server, 'username', 'username', { label: 'Username', required: true, order: 0 }),
        await makePrompt(server, 'name', 'text', { label: 'Full name', required: true, order: 1 }),
        await makePrompt(server, 'password', 'password', { label: 'Password', required: true, order: 2 }),
      ];
      const walk = await makeWalk(
        server,
        [
          ['invitation/stages', { continue_flow_without_invitation: false }],
          ['prompt/stages', { fields }],
          ['user_write', { user_creation_mode: 'always_create', create_users_as_inactive: false }],
          ['user_login'],
        ],
        { designation: 'enrollment', title: 'Join us' },
      );
      const invitation = await made(server, '/stages/invitation/invitations/', {
        name: unique('invitation'),
        flow: walk.pk,
        single_use: true,
        fixed_data: { name: 'Ada Lovelace' },
        expires: new Date(Date.now() + 3_600_000).toISOString(),
      });
      const address = `/if/flow/${walk.slug}/?itoken=${invitation.token}`;
      const page = await journey().window();
      await page.goto(address);
      await page.getByRole('heading', { name: 'Join us' }).waitFor();
      await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace');
      // What the invitation fixes is not asked for.
      expect(await page.getByLabel('Full name').isEditable()).toBe(false);
      const username = unique('ada');
      await page.getByLabel('Username').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('a fine password');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid=true]').waitFor();
      await expect.poll(() => page.locator('input:focus').getAttribute('name')).toBe('username');
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password', { exact: true }).fill('a fine password');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);

      const other = await journey().window();
      await other.goto(address);
      await other
        .getByText(
          'This invitation is not valid: it was already used, has expired or was withdrawn. Ask the person who invited you for a new one.',
        )
        .waitFor();
    });

    test('every kind of prompt is asked, and its answer arrives', async () => {
      const { server } = journey();
      const kinds: [key: string, type: string, values?: Record<string, unknown>][] = [
        ['welcome', 'static', { initial_value: 'Hello <b>there</b>' }],
        ['username', 'username'],
        ['a_text', 'text'],
        ['long', 'text_area'],
        ['fixed', 'text_read_only', { initial_value: 'as it is' }],
        ['fixed_long', 'text_area_read_only', { initial_value: 'as they are' }],
        ['mail', 'email'],
        ['count', 'number'],
        ['agreed', 'checkbox'],
        ['colour', 'radio-button-group', { placeholder: 'return ["red", "blue"]', placeholder_expression: true }],
        ['size', 'dropdown', { placeholder: 'return ["small", "large"]', placeholder_expression: true }],
        ['finish', 'dropdown', { placeholder: 'return ["mat"]', placeholder_expression: true, required: false }],
        ['day', 'date'],
        ['moment', 'date-time'],
        ['line', 'separator', { label: 'Rest' }],
        ['secret', 'hidden', { initial_value: 'unseen' }],
        ['picture', 'file'],
        ['attributes.settings.locale', 'xak-locale'],
      ];
      const fields: string[] = [];
      for (const [order, [key, type, values]] of kinds.entries()) {
        const isShownOnly = type === 'static' || type === 'separator';
        fields.push(
          await makePrompt(
            server,
            isShownOnly || key.includes('.') || key === 'username' ? key : `attributes.${key}`,
            type,
            {
              label: key,
              order,
              required: !isShownOnly,
              ...values,
            },
          ),
        );
      }
      const walk = await makeWalk(server, [
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'always_create', create_users_as_inactive: false }],
      ]);
      const page = await journey().window({ timezoneId: 'Europe/Berlin' });
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByText('Hello <b>there</b>').waitFor();
      const username = unique('prompted');
      await page.getByLabel('username').fill(username);
      await page.getByLabel('a_text').fill('one line');
      await page.getByLabel('long', { exact: true }).fill('two\nlines');
      await page.getByLabel('mail').fill('ada@example.org');
      await page.getByLabel('count').fill('12.5');
      await page.getByLabel('agreed').check();
      await page.getByLabel('blue').check();
      await page.getByLabel('size').selectOption('large');
      expect(await page.getByLabel('finish').getByRole('option').allTextContents()).toEqual(['–', 'mat']);
      await page.getByLabel('day').fill('1815-12-10');
      await page.getByLabel('moment').fill('2026-11-15T08:30:00');
      await page
        .getByLabel('picture')
        .setInputFiles({ name: 'p.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') });
      const languages = page.getByLabel('attributes.settings.locale').getByRole('option');
      expect(await languages.allTextContents()).toEqual(
        expect.arrayContaining(['Same as my browser', 'English', 'Deutsch', 'العربية']),
      );
      await page.getByLabel('attributes.settings.locale').selectOption({ label: 'English' });
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL((url) => !url.pathname.includes(walk.slug));
      const { results } = (await server.admin.get(`/core/users/?username=${username}`)).body;
      expect(results[0].attributes).toEqual({
        a_text: 'one line',
        long: 'two\nlines',
        fixed: 'as it is',
        fixed_long: 'as they are',
        mail: 'ada@example.org',
        count: 12.5,
        agreed: true,
        colour: 'blue',
        size: 'large',
        finish: '',
        day: '1815-12-10',
        moment: expect.stringContaining('2026-11-15T07:30:00'),
        secret: 'unseen',
        picture: 'data:text/plain;base64,aGk=',
        settings: { locale: 'en' },
      });
    });

    test('consent can be given and refused', async () => {
      const walk = await makeWalk(journey().server, [['consent', { mode: 'always_require' }], ['dummy']]);
      const page = await journey().window();
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByText('Do you agree?').waitFor();
      await page.getByRole('button', { name: 'Do not agree' }).click();
      await page.getByText('You did not agree.').waitFor();
      await page.goto(`/if/flow/${walk.slug}/?next=/if/flow/default-authentication-flow/`);
      await page.getByRole('button', { name: 'Agree and continue' }).click();
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.waitForURL('**/if/flow/default-authentication-flow/');
    });

    test('a captcha’s script is allowed where it is asked for, and gone with its step', async () => {
      const service = await startCaptchaService();
      try {
        const { server } = journey();
        const captcha = { public_key: 'site', private_key: 'secret', interactive: true };
        const walk = await makeWalk(server, [
          ['captcha', { ...captcha, js_url: `${service.url}/api.js`, api_url: `${service.url}/verify` }],
          ['dummy'],
        ]);
        const page = await journey().window();
        await page.goto(`/if/flow/${walk.slug}/`);
        await page.getByRole('button', { name: 'I am here' }).click();
        await page.getByRole('button', { name: 'Continue' }).waitFor();
        expect(await page.evaluate('"turnstile" in globalThis')).toBe(false);

        const elsewhere = await fetch(`${server.url}/if/flow/default-authentication-flow/`);
        expect(elsewhere.headers.get('content-security-policy')).not.toContain(service.url);
      } finally {
        await service.close();
      }
    });

    test('a captcha runs in the pane of the flow designer too, and its script stays behind there', async () => {
      const { server } = journey();
      const service = await startCaptchaService();
      try {
        const captcha = { public_key: 'site', private_key: 'secret', interactive: true };
        const walk = await makeWalk(server, [
          ['captcha', { ...captcha, js_url: `${service.url}/api.js`, api_url: `${service.url}/verify` }],
          ['dummy'],
        ]);
        const at = `/flows/instances/${walk.slug}/`;
        const page = await visitAdmin(journey(), at);
        const tabs = page.getByRole('navigation', { name: 'Parts of this page' });
        await tabs.getByRole('link', { name: 'Try it' }).click();
        await page.getByRole('button', { name: 'Begin', exact: true }).click();
        await page.getByRole('button', { name: 'I am here' }).click();
        await page.locator('.run-screen').getByRole('button', { name: 'Continue' }).waitFor();
        await tabs.getByRole('link', { name: 'Designer' }).click();
        await page.getByRole('list', { name: 'Stages in order' }).waitFor();
        const isForeign = () => page.locator('#page').evaluate(({ dataset }) => 'hasForeignScripts' in dataset);
        await expect.poll(isForeign).toBe(false);
        await page.waitForLoadState('networkidle');
        const policyOf = async (path: string) =>
          (await page.request.get(path)).headers()['content-security-policy'] ?? '';
        expect(await policyOf(`/if/admin${at}?tab=try`)).toContain(service.url);
        for (const path of [`/if/admin${at}`, '/if/admin/?tab=try'])
          expect(await policyOf(path)).not.toContain(service.url);
      } finally {
        await service.close();
      }
    });

    test('an unknown step and a script address are refused', async () => {
      const page = await journey().window();
      const answers: Record<string, unknown>[] = [
        { component: 'xak-stage-of-tomorrow' },
        { component: 'xak-flow-redirect', to: 'javascript:document.title="run"' },
      ];
      for (const [at, heading] of ['This step cannot be shown', 'Access denied'].entries()) {
        await page.route('**/flows/executor/**', (route) => route.fulfill({ json: answers[at] }));
        await page.goto('/if/flow/default-authentication-flow/');
        await page.getByRole('heading', { name: heading }).waitFor();
        await expect.poll(() => page.title()).toBe('Gatehouse');
        await page.unroute('**/flows/executor/**');
      }
    });

    test('brand, layout and theme are shown', async () => {
      const { server } = journey();
      const walk = await makeWalk(server, [['dummy']], { title: 'Hello', layout: 'sidebar_right' });
      await made(server, '/core/brands/', {
        domain: 'localhost',
        branding_title: 'Analytical "Engines" <Ltd>',
        branding_logo: '/static/favicon.svg',
        attributes: { settings: { theme: { base: 'dark' } } },
      });
      const page = await journey().window();
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByRole('img', { name: 'Analytical "Engines" <Ltd>' }).waitFor();
      await expect.poll(() => page.title()).toBe('Hello · Analytical "Engines" <Ltd>');
      await expect.poll(() => page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
      const card = await page.getByRole('main').boundingBox();
      expect((card?.x ?? 0) + (card?.width ?? 0)).toBe(1100);
      expect(card?.y).toBe(0);
    });

    test('screens fit a narrow window without scrolling sideways', async () => {
      const { server } = journey();
      const fields = [
        await makePrompt(server, 'moment', 'date-time', {
          label: 'A-label-that-is-one-word-and-longer-than-the-window-is-wide',
        }),
        await makePrompt(server, 'picture', 'file'),
      ];
      const walk = await makeWalk(server, [['prompt/stages', { fields }]], {
        title: 'Pneumonoultramicroscopicsilicovolcanoconiosis',
      });
      for (const width of [320, 360]) {
        const page = await journey().window({ viewport: { width, height: 600 } });
        for (const slug of [walk.slug, 'default-authentication-flow']) {
          await page.goto(`/if/flow/${slug}/`);
          await page.getByRole('button').first().waitFor();
          expect(await overflowOf(page)).toBe(0);
        }
      }
    });
  },
  { env: loopbackAllowed },
);

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** A stand-in for a captcha service: a script with a widget, and a verification endpoint. */
async function startCaptchaService(): Promise<Service> {
  const script = `globalThis.turnstile = {
    render(place, { sitekey, callback }) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'I am here';
      button.onclick = () => callback('solved for ' + sitekey);
      place.append(button);
    },
  };`;
  const service = await startService();
  service.answer = ({ path, body }) =>
    path === '/api.js'
      ? { body: script, headers: { 'content-type': 'text/javascript' } }
      : json({ success: new URLSearchParams(body).get('response') === 'solved for site' });
  return service;
}
