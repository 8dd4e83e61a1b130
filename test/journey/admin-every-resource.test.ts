import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { hasButton } from '../../src/resource/document/ui-metadata/button.ts';
import { isShown, isWritable, type Row } from '../../src/resource/fields/field.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { englishKind } from '../../web/admin/spelling.ts';
import { resources } from '../contract/every-resource.ts';
import { createMaker, type Maker } from '../contract/maker.ts';
import { fillIn } from '../support/admin-form.ts';
import { chooseAction, moveTo, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';

const listed = resources.filter(({ verbs }) => verbs.includes('list'));
const offers = (resource: Resource, verb: string) => resource.verbs.some((one) => one === verb);
/** The first kind of each family: one page deletes all kinds of it in the same way. */
const deletable = new Set(
  listed.filter(({ family }, at) => !family || listed.findIndex((one) => one.family === family) === at),
);
const others = resources.map(({ path }) => path);
/** Objects with a page of their own: their actions say so. */
const customPages = new Set([
  '/core/applications/',
  '/core/users/',
  '/core/groups/',
  '/flows/instances/',
  '/rbac/roles/',
]);
/** The declared actions that a page offers; a closed menu has no text that is rendered. */
const offeredOn = async (page: Page) =>
  (await page.locator('.page-head [data-action^="run-"]').allTextContents()).sort();
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

describeJourney(
  'the admin pages of every resource',
  (journey) => {
    let maker: Maker;
    let page: Page;
    beforeAll(async () => {
      await journey().server.app.jobs.stop();
      maker = createMaker(journey().server);
      page = await visitAdmin(journey(), '/everything/');
    });

    const walks = listed.map((one) => {
      const isDeleted = deletable.has(one);
      const title = `${one.path} is listed, made, shown, changed${isDeleted ? ' and deleted' : ''}`;
      return [title, one.path, isDeleted] as const;
    });
    test.each(walks)('%s', async (_, path, isDeleted) => {
      const { server } = journey();
      const resource = server.app.engine.registry.resources.find((one) => one.path === path) as Resource;
      const [singular = '', plural = ''] = resource.labels ?? resource.names.map((name) => englishKind(name, {}));
      await moveTo(page, path);
      await expect.poll(() => heading(page).innerText()).toMatch(new RegExp(`^${plural}$`, 'i'));
      await page.locator('table, .empty, .rows').first().waitFor();
      expect(await offeredOn(page)).toEqual(buttonsOf(path, 'set'));

      if (offers(resource, 'create')) await make(page, resource);
      else if (offers(resource, 'retrieve')) await moveTo(page, `${path}${await keyOfNew(resource)}/`);
      else return;
      await page.locator('.facts').first().waitFor();
      expect((await page.locator('.page-title').innerText()).toLowerCase()).toContain(singular.toLowerCase());
      if (!customPages.has(path)) expect(await offeredOn(page)).toEqual(buttonsOf(path, 'row'));

      if (offers(resource, 'partial_update')) await change(page, resource);
      if (isDeleted && offers(resource, 'destroy')) await remove(page, resource);
    });

    /** The texts of declared buttons, of a kind with those of its family. */
    function buttonsOf(path: string, on: 'row' | 'set'): string[] {
      const { operations, engine } = journey().server.app;
      const { family, param } = engine.registry.resources.find((one) => one.path === path) as Resource;
      const lists = [path, on === 'row' && family ? (engine.registry.find(family.model)?.path ?? '') : ''];
      const isOn = (at: string) =>
        lists.some(
          (list) => list && at.startsWith(list) && /^\{\w+\}\/./.test(at.slice(list.length)) === (on === 'row'),
        ) &&
        (on === 'row' || !others.some((other) => other !== path && other.startsWith(path) && at.startsWith(other))) &&
        (on === 'row' || !at.includes(`{${param}}`));
      const found = operations.filter(({ path: at }) => isOn(at)).map(({ page }) => page);
      return found.flatMap((page) => (hasButton(page) ? [`${page.button}…`] : [])).sort();
    }

    async function remove(page: Page, resource: Resource): Promise<void> {
      const shownPath = new URL(page.url()).pathname.replace('/if/admin', '');
      await chooseAction(page, 'Delete…');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This cannot be undone').waitFor();
      if (resource.path === '/flows/bindings/') await typeName(dialog);
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.waitForURL(`**/if/admin${resource.path}`);
      expect((await journey().server.admin.get(shownPath)).status).toBe(404);
    }

    /** Asked for wherever deleting can lock people out. */
    async function typeName(dialog: Locator): Promise<void> {
      const label = await dialog.locator('label').innerText();
      await dialog.getByLabel(label).fill(label.slice('Type '.length, -' to confirm'.length));
    }

    /** An object that cannot be made with a form. */
    async function keyOfNew(resource: Resource): Promise<string> {
      const sample = await maker.make(resource.model);
      return sample.path.slice(sample.resource.path.length, -1) || String(sample.pk);
    }

    /** The members that must be there; all of them where that does not make an object. */
    async function sufficientBody(resource: Resource): Promise<Row> {
      const body = await maker.bodyFor(resource, 'required');
      const { status } = await journey().server.admin.post(`${resource.path}?dry_run=true`, body);
      return status === 201 ? body : maker.bodyFor(resource, 'all');
    }

    async function make(page: Page, resource: Resource): Promise<void> {
      const { server } = journey();
      const body = await sufficientBody(resource);
      await moveTo(page, `/new${resource.path}`);
      for (const [name, value] of Object.entries(body)) await fillIn(page, server, name, value);
      await page.getByRole('button', { name: 'Create' }).click();
      // The page of a new user asks how they will sign in.
      if (resource.path === '/core/users/') await page.getByRole('button', { name: 'Nothing for now' }).click();
      await page.waitForURL(`**/if/admin${resource.path}*/`);
      const path = new URL(page.url()).pathname.replace('/if/admin', '');
      const { status, body: made } = await server.admin.get(path);
      expect([path, status]).toEqual([path, 200]);
      for (const [name, value] of Object.entries(body)) {
        const field = resource.allFields[name];
        if (field && isShown(field) && !field.secret) expect([name, normal(made[name])]).toEqual([name, normal(value)]);
      }
    }

    /** Changes a member that can be changed by itself. */
    async function change(page: Page, resource: Resource): Promise<void> {
      const { server } = journey();
      const body = await maker.bodyFor(resource, 'all');
      const name = changeable(resource, body);
      if (name === undefined) return;
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await fillIn(page, server, name, body[name]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(`**/if/admin${resource.path}*/`);
      const path = new URL(page.url()).pathname.replace('/if/admin', '');
      expect(normal((await server.admin.get(path)).body[name])).toEqual(normal(body[name]));
    }

    const normal = (value: unknown): unknown =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString().slice(0, 19) : value;
  },
  { keepsWindows: true },
);

/** A member that can be changed by itself. */
function changeable({ allFields }: Resource, body: Row): string | undefined {
  const kinds = ['text', 'boolean', 'integer', 'choice', 'time', 'json'];
  const names = Object.keys(body).filter((name) => {
    const field = allFields[name];
    const isInForms = field?.limits?.only !== 'server';
    return field && isWritable(field) && isShown(field) && isInForms && !field.secret && body[name] !== undefined;
  });
  return kinds.flatMap((kind) => names.filter((name) => allFields[name]?.kind === kind))[0];
}
