import { expect, test } from 'vitest';
import { wrongPassword } from '../../src/flow/passwords/attempt-messages.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { describeJourney, type Journey, signInOn, signOutOn, whoIs } from '../support/journey.ts';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { stillClock } from '../support/second-factor.ts';
import { adminPassword } from '../support/server.ts';

const password = 'a password for these journeys';

async function person({ server }: Journey): Promise<string> {
  const { pk, username } = await server.user();
  await server.admin.post(`/core/users/${pk}/set_password/`, { password });
  return username;
}

describeJourney('signing in', (journey) => {
  test('by name and password leads to one’s own page, or to where one wanted to go', async () => {
    const username = await person(journey());
    const page = await journey().window();
    await page.goto('/');
    await page.waitForURL(`**/if/flow/${signInFlow}/`);
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await page.getByText('Welcome to Gatehouse!').waitFor();
    await expect.poll(() => page.title()).toBe('Welcome to Gatehouse! · Gatehouse');
    await signInOn(page, username, password);
    await page.waitForURL('**/if/user/');
    expect(await whoIs(page)).toBe(username);
    await page.goto('/');
    await page.waitForURL('**/if/user/');

    const other = await journey().window();
    await other.goto('/if/user/sessions/?a=1');
    await other.waitForURL(`**/if/flow/${signInFlow}/?next=*`);
    await signInOn(other, username, password);
    await other.waitForURL('**/if/user/sessions/?a=1');
  });

  test('with the first password asks for a new one', async () => {
    const page = await journey().window();
    await page.goto(`/if/flow/${signInFlow}/?next=/if/flow/initial-setup/`);
    await signInOn(page, 'admin', adminPassword);
    await page.waitForURL('**/if/flow/initial-setup/');
    await page.getByText('Please set a password and email for the default admin user').waitFor();
    await page.getByLabel('Email').fill('admin@example.org');
    const password = page.getByLabel('New password', { exact: true });
    await password.fill('the first');
    await page.getByRole('listitem').filter({ hasText: 'At least 12 characters Not met yet' }).waitFor();
    await password.fill('the first one');
    await page.getByRole('listitem').filter({ hasText: 'At least 12 characters Met' }).waitFor();
    await page.getByLabel('New password (repeat)').fill('another one');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').filter({ hasText: "Passwords don't match." }).waitFor();
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('admin@example.org');
    await page.getByLabel('New password (repeat)').fill('the first one');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/if/user/');
    await page.getByRole('status').filter({ hasText: 'Your password is changed.' }).waitFor();

    const other = await journey().window();
    await other.goto('/');
    await signInOn(other, 'admin', 'the first one');
    await other.waitForURL('**/if/user/');
    expect(await whoIs(other)).toBe('admin');
  });

  test('with a wrong password says so beside the field, in the same words for unknown names', async () => {
    const username = await person(journey());
    const page = await journey().window();
    for (const name of [username, 'nobody-at-all']) {
      await page.goto('/flows/-/cancel/');
      await signInOn(page, name, 'wrong');
      const field = page.getByLabel('Password', { exact: true });
      await page.locator('[aria-invalid=true]').waitFor();
      const description = (await field.getAttribute('aria-describedby')) as string;
      await expect.poll(() => page.locator(`[id="${description}"]`).innerText()).toBe(wrongPassword);
      await expect.poll(() => page.locator('input:focus').getAttribute('name')).toBe('password');
      await expect.poll(() => page.getByText(name).isVisible()).toBe(true);
    }
    await page.goto('/flows/-/cancel/?next=/if/user/consents/');
    await signInOn(page, username, 'wrong');
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/consents/');
  });

  test('offers to continue as another user', async () => {
    const page = await journey().window();
    await page.goto(`/if/flow/${signInFlow}/?next=/if/user/tokens/`);
    await page.getByLabel('Email address or username').fill('somebody');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Not you?' }).click();
    await page.getByLabel('Email address or username').waitFor();
    expect(page.url()).toContain('next=%2Fif%2Fuser%2Ftokens%2F');
  });

  test('asks whether to stay signed in where the stage says so', async () => {
    const { server } = journey();
    const walk = await makeWalk(
      server,
      [
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
        ['user_login', { remember_me_offset: 'days=30' }],
      ],
      { designation: 'authentication' },
    );
    const username = await person(journey());
    for (const [button, isKept] of [
      ['Stay signed in', true],
      ['No', false],
    ] as const) {
      const page = await journey().window();
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByLabel('Username').fill(username);
      await page.keyboard.press('Enter');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: button }).click();
      await page.waitForURL('**/if/user/');
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'gatehouse_session');
      expect(cookie?.expires !== -1).toBe(isKept);
    }
  });

  test('ends with signing out', async () => {
    const username = await person(journey());
    const page = await journey().window();
    await page.goto('/');
    await signInOn(page, username, password);
    await page.waitForURL('**/if/user/');
    await signOutOn(page);
    await page.waitForURL(`**/if/flow/${signInFlow}/`);
    await page.getByRole('status').filter({ hasText: 'You have signed out.' }).waitFor();
    expect(await whoIs(page)).toBeNull();
    await page.reload();
    await page.getByLabel('Email address or username').waitFor();
    await expect.poll(() => page.getByText('You have signed out.').count()).toBe(0);
  });

  test('is not needed by a user who is signed in, and says so', async () => {
    const username = await person(journey());
    const page = await journey().window();
    await page.goto('/');
    await signInOn(page, username, password);
    await page.waitForURL('**/if/user/');
    await page.goto(`/if/flow/${signInFlow}/`);
    await page.getByRole('status').filter({ hasText: 'You are signed in as' }).waitFor();
    await page.getByLabel('Email address or username').waitFor();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.waitForURL('**/if/user/');
    const stranger = await journey().window();
    await stranger.goto(`/if/flow/${signInFlow}/`);
    await stranger.getByLabel('Email address or username').waitFor();
    await expect.poll(() => stranger.getByText('You are signed in as').count()).toBe(0);
  });

  test('sends an answer once, however often the button is pressed', async () => {
    const username = await person(journey());
    const page = await journey().window();
    let answers = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') answers += 1;
    });
    await page.route('**/flows/executor/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await page.goto('/');
    await page.getByLabel('Email address or username').fill(username);
    const button = page.getByRole('button', { name: 'Continue' });
    await button.dblclick();
    await page.keyboard.press('Enter');
    await page.getByLabel('Password', { exact: true }).waitFor();
    expect(answers).toBe(1);
  });

  test('continues after a network failure, with the input kept', async () => {
    const username = await person(journey());
    const page = await journey().window({ tolerates: /ERR_INTERNET_DISCONNECTED/ });
    await page.goto('/');
    await page.getByLabel('Email address or username').fill(username);
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await expect.poll(() => page.getByLabel('Email address or username').inputValue()).toBe(username);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/');
  });

  test('shows the current step after going back to the page', async () => {
    const username = await person(journey());
    const page = await journey().window();
    await page.goto('/');
    await page.getByLabel('Email address or username').fill(username);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/');
    await page.goBack();
    await page.getByLabel('Email address or username').waitFor();
  });
});

const clock = stillClock();

describeJourney(
  'time',
  (journey) => {
    test('must pass before another attempt after many wrong passwords', async () => {
      const { server } = journey();
      const username = await person(journey());
      for (let guess = 0; guess < 11; guess++) await signInByPassword(openBrowser(server), username, `guess ${guess}`);
      const page = await journey().window();
      await page.goto('/');
      await signInOn(page, username, password);
      await page.getByText('Too many failed attempts. Try again in 2 seconds.').waitFor();
      expect(await whoIs(page)).toBeNull();
      clock.forward(60_000);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/if/user/');
    });

    test('that was too long restarts the walk, and says so', async () => {
      const username = await person(journey());
      const page = await journey().window();
      await page.goto(`/if/flow/${signInFlow}/?next=/if/user/consents/`);
      await page.getByLabel('Email address or username').fill(username);
      await page.keyboard.press('Enter');
      await page.getByLabel('Password', { exact: true }).fill(password);
      clock.forward(31 * 60_000);
      await page.keyboard.press('Enter');
      await page.getByRole('status').filter({ hasText: 'That took too long' }).waitFor();
      await signInOn(page, username, password);
      await page.waitForURL('**/if/user/consents/');
    });
  },
  { clock },
);

describeJourney('the page of a flow that cannot be entered', (journey) => {
  test('says so when there is no such flow, and leads home', async () => {
    const page = await journey().window({ tolerates: /status of 404/ });
    const answer = await page.goto('/if/flow/there-is-none/');
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL(`**/if/flow/${signInFlow}/`);
  });

  test('says so to people whom the flow is not for', async () => {
    const page = await journey().window();
    await page.goto('/if/flow/default-user-settings-flow/');
    await page.getByRole('heading', { name: 'Access denied' }).waitFor();
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.waitForURL(`**/if/flow/${signInFlow}/`);
  });

  test('shows the message of the policy', async () => {
    const { server } = journey();
    const walk = await makeWalk(server, [['dummy']]);
    const flow = (await server.admin.get(`/flows/instances/${walk.slug}/`)).body;
    await bindExpression(server, flow.policybindingmodel_ptr_id, 'message("Not on a Sunday."); return false;');
    const page = await journey().window();
    await page.goto(`/if/flow/${walk.slug}/`);
    await page.getByText('Not on a Sunday.').waitFor();
  });

  test('shows the id of a request that failed', async () => {
    const walk = await makeWalk(journey().server, [['dummy', { throw_error: true }]]);
    const page = await journey().window();
    await page.goto(`/if/flow/${walk.slug}/`);
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await expect.poll(() => page.locator('code').innerText()).toMatch(/^[0-9a-f]{32}$/);
    await page.getByRole('link', { name: 'Start again' }).waitFor();
  });
});
