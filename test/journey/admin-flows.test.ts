import { expect, test } from 'vitest';
import { pick } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';

interface Step {
  readonly pk: string;
  readonly name: string;
  readonly gates: readonly unknown[];
}

const designOf = async ({ admin }: TestServer, slug: string) =>
  (await admin.get(`/flows/instances/${slug}/design/`)).body;
const namesOf = async (server: TestServer, slug: string): Promise<string[]> =>
  (await designOf(server, slug)).steps.map(({ name }: Step) => name);

const makeSignIn = (server: TestServer) =>
  makeWalk(
    server,
    [
      ['identification', { name: unique('who'), user_fields: ['username'] }],
      ['password', { name: unique('secret'), backends: ['svc.core.auth.InbuiltBackend'] }],
      ['user_login', { name: unique('login') }],
    ],
    { designation: 'authentication' },
  );

describeJourney('the admin pages of flows', (journey) => {
  test('build a flow, move its stages by keyboard and by dragging, and tell what is wrong', async () => {
    const { server } = journey();
    const slug = unique('flow');
    const flow = { name: slug, slug, title: slug, designation: 'authentication', authentication: 'none' };
    await made(server, '/flows/instances/', flow);
    const who = unique('who');
    await made(server, '/stages/identification/', { name: who, user_fields: ['username'] });
    const page = await visitAdmin(journey(), `/flows/instances/${slug}/`);
    await page.getByText('no login stage is reached').waitFor();

    // One that there is, and one that is new.
    await page.getByRole('link', { name: 'Add a stage' }).click();
    await pick(page, 'An existing stage', who);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: who, level: 2 }).waitFor();
    const login = unique('login');
    for (const [kind, name] of [
      ['User login stage', login],
      ['Dummy stage', unique('dummy')],
    ] as const) {
      await page.getByRole('link', { name: 'Add a stage' }).click();
      await page.getByRole('link', { name: kind, exact: true }).click();
      await page.locator('[data-field="name"] input').fill(name);
      await page.getByRole('button', { name: 'Create and add' }).click();
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    }
    const stages = page.getByRole('list', { name: 'Stages in order' }).getByRole('heading', { level: 3 });
    const [, , dummy] = await namesOf(server, slug);
    expect(await namesOf(server, slug)).toEqual([who, login, dummy]);
    await page.getByText('no earlier stage authenticates the user').waitFor();

    // By the keyboard alone, which keeps the focus on the card.
    const handle = page.getByRole('button', { name: `Move ${dummy}: place` });
    await handle.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('status').getByText(`${dummy} is now at place 2 of 3.`).waitFor({ state: 'attached' });
    await expect.poll(() => namesOf(server, slug)).toEqual([who, dummy, login]);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => namesOf(server, slug)).toEqual([dummy, who, login]);
    await page.waitForLoadState('networkidle');
    expect(await handle.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.getByRole('button', { name: `Move ${dummy} down` }).click();
    await expect.poll(() => namesOf(server, slug)).toEqual([who, dummy, login]);
    await page.waitForLoadState('networkidle');

    // By dragging it below the last one.
    await handle.scrollIntoViewIfNeeded();
    const [from, last] = [await handle.boundingBox(), await page.locator('.flow-step').last().boundingBox()];
    await page.mouse.move((from?.x ?? 0) + 10, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((from?.x ?? 0) + 10, (last?.y ?? 0) + (last?.height ?? 0) - 5, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => namesOf(server, slug)).toEqual([who, login, dummy]);
    expect(await stages.allInnerTexts()).toEqual([who, login, dummy]);

    // Another user has moved one meanwhile: nothing is overwritten.
    const { steps } = await designOf(server, slug);
    const bindings = steps.map(({ pk }: Step) => pk).toReversed();
    expect((await server.admin.post(`/flows/instances/${slug}/order/`, { bindings })).status).toBe(200);
    await handle.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('have changed since they were read').waitFor();
    expect(await namesOf(server, slug)).toEqual([dummy, login, who]);
    await page.waitForLoadState('networkidle');
  });

  test('bind gates, keep forms beside, and take what is found away when it is mended', async () => {
    const { server } = journey();
    const walk = await makeSignIn(server);
    const [, secret, login] = await namesOf(server, walk.slug);
    const group = await made(server, '/core/groups/', { name: unique('nobody') });
    const at = `/flows/instances/${walk.slug}/`;
    const page = await visitAdmin(journey(), at);
    await page.getByText('No problems found in this flow.').waitFor();
    await page.getByRole('link', { name: login ?? '' }).click();
    const parts = page.getByRole('navigation', { name: `Parts of ${login}` });
    await parts.getByRole('link', { name: 'Gates' }).click();
    await page.getByText('Everybody reaches this stage.').waitFor();
    await pick(page, 'Group', group.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('no login stage is reached').waitFor();
    await page.getByText('its gates always deny').waitFor();
    await page.getByRole('link', { name: `Change ${group.name}` }).click();
    await page.locator('[data-field="negate"]').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No problems found in this flow.').waitFor();
    expect((await designOf(server, walk.slug)).steps[2].gates).toMatchObject([{ negate: true, group: group.pk }]);

    // The same as a diagram.
    await page.getByRole('link', { name: 'Diagram' }).click();
    const way = page.getByRole('list', { name: 'The path through the flow' });
    expect(await way.locator('.diagram-stage strong').allInnerTexts()).toEqual(await namesOf(server, walk.slug));
    expect(await way.locator('.diagram-gate').innerText()).toContain(group.name);
    await page.getByRole('button', { name: 'Show as Mermaid' }).click();
    await page.locator('pre').getByText(String(login)).waitFor();

    // Who may begin the flow, and then everybody again.
    const removeGate = async () => {
      await page.getByRole('button', { name: `Remove ${group.name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    };
    await openAdmin(page, `${at}?step=flow`);
    await pick(page, 'Group', group.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The gates of this flow deny everybody.').waitFor();
    expect((await designOf(server, walk.slug)).gates).toMatchObject([{ negate: false, group: group.pk }]);
    await removeGate();
    await page.getByText('Everybody for whom its settings allow it.').waitFor();
    await page.getByRole('link', { name: login ?? '' }).click();
    await parts.getByRole('link', { name: 'Gates' }).click();
    await removeGate();
    await page.getByText('Everybody reaches this stage.').waitFor();
    const design = await designOf(server, walk.slug);
    expect([design.gates, design.steps[2].gates]).toEqual([[], []]);

    // What is typed and not saved is still there after looking elsewhere.
    await page.getByRole('link', { name: secret ?? '' }).click();
    const attempts = page.locator('[data-field="failed_attempts_before_cancel"] input');
    await attempts.fill('3');
    await page.getByRole('link', { name: login ?? '' }).click();
    await page.locator('[data-field="session_duration"]').waitFor();
    await page.getByRole('link', { name: secret ?? '' }).click();
    await expect.poll(() => attempts.inputValue()).toBe('3');
    await page.getByRole('button', { name: 'Save the stage' }).click();
    await page.getByText(`${secret} is saved.`).waitFor();
    const stage = (await server.admin.get(`/stages/password/${walk.stages[1]}/`)).body;
    expect(stage.failed_attempts_before_cancel).toBe(3);

    const inFlow = page
      .getByRole('navigation', { name: `Parts of ${secret}` })
      .getByRole('link', { name: 'In this flow' });
    await inFlow.click();
    await page.locator('[data-field="invalid_response_action"] select').selectOption('restart');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The message about the stage, which reads the same, may still be there.
    await expect.poll(async () => (await designOf(server, walk.slug)).steps[1].invalid_response_action).toBe('restart');
    await page.getByRole('button', { name: 'Remove from the flow' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('no earlier stage authenticates the user').waitFor();
    expect(await namesOf(server, walk.slug)).toHaveLength(2);
    // The stage itself stays.
    expect((await server.admin.get(`/stages/password/${walk.stages[1]}/`)).status).toBe(200);
    await page.waitForLoadState('networkidle');
  });

  test('run a flow in a pane with its inspector', async () => {
    const { server } = journey();
    const [first, second] = [unique('first'), unique('second')];
    const walk = await makeWalk(server, [
      ['dummy', { name: first }],
      ['dummy', { name: second }],
    ]);
    const page = await visitAdmin(journey(), `/flows/instances/${walk.slug}/?tab=try`);
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await inspector.getByText('Next').waitFor();
    expect(await inspector.locator('dd').allInnerTexts()).toEqual([
      expect.stringContaining(first),
      expect.stringContaining(second),
    ]);
    await page.locator('.run-screen').getByRole('button').first().click();
    await inspector.getByText('The end of the flow').waitFor();
    await page.locator('.run-screen').getByRole('button').first().click();
    await page.getByText('The flow redirects to').waitFor();
    await page.getByRole('button', { name: 'Begin again' }).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('turn each ready-made flow on and off', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/flows/instances/');
    const on = async () =>
      (await server.admin.get('/flows/ready_made/')).body
        .filter(({ is_on }: { is_on: boolean }) => is_on)
        .map(({ name }: { name: string }) => name);
    expect(await on()).toEqual(['invitation']);
    for (const [title, name, isOn] of [
      ['Sign-in with a passkey first', 'passkey', false],
      ['Password recovery', 'recovery', false],
      ['Enrollment by invitation', 'invitation', true],
    ] as const) {
      const button = page.getByRole('switch', { name: title });
      await button.click();
      await expect.poll(() => button.getAttribute('aria-checked')).toBe(String(!isOn));
      expect((await on()).sort()).toEqual(isOn ? [] : [name, 'invitation'].sort());
      await page.waitForLoadState('networkidle');
      await button.press('Space');
      await expect.poll(() => button.getAttribute('aria-checked')).toBe(String(isOn));
      expect(await on()).toEqual(['invitation']);
      await page.waitForLoadState('networkidle');
    }
  });

  test('show a delegate the flow to read, and others nothing', async () => {
    const { server } = journey();
    const walk = await makeSignIn(server);
    const [who] = await namesOf(server, walk.slug);
    const rights = ['svc_flows.view_flow', 'svc_flows.view_stage', 'svc_flows.view_flowstagebinding'];
    const delegate = await server.user(rights);
    const at = `/flows/instances/${walk.slug}/`;
    const page = await visitAdmin(journey(), at, { user: delegate.pk });
    await page.getByText('No problems found in this flow.').waitFor();
    await page.getByRole('link', { name: who ?? '' }).click();
    await page.getByRole('link', { name: 'Open the page of the stage' }).waitFor();
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Add a stage' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await openAdmin(page, '/flows/instances/');
    expect(await page.getByRole('switch').count()).toBe(0);
    const other = await server.user(['svc_core.view_group']);
    const second = await visitAdmin(journey(), at, { user: other.pk });
    await second.getByText('This page does not exist').waitFor();
    await second.waitForLoadState('networkidle');
  });
});
