import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { pick } from './admin-form.ts';
import { launchChromium } from './chromium.ts';
import { type Environment, type RunningServer, runGatehouse, startServerProcess } from './gatehouse-process.ts';

export interface FirstHour {
  /** The names of the pictures, in order. */
  readonly pictures: readonly string[];
  /** What the browser complained about. */
  readonly complaints: readonly string[];
  /** The items of the checklist that are done at the end. */
  readonly done: readonly string[];
}

interface Walk {
  window(): Promise<Page>;
  picture(page: Page, name: string): Promise<void>;
}

type TakePicture = (page: Page, name: string) => Promise<void>;

// The address of a server with default settings, as readers will see it. The browser finds the real port behind it.
const address = 'http://localhost:9000';
const passwords = { admin: 'seven quiet lighthouses', dana: 'orchard beyond the hill' };

/** Walks through docs/first-hour.md on a server of its own. */
export async function walkFirstHour(executablePath: string, take: TakePicture): Promise<FirstHour> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-first-hour-'));
  const env = { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_PUBLIC_URL: address };
  let server: RunningServer | undefined;
  let browser: Browser | undefined;
  try {
    server = await startServerProcess(env);
    const { host } = new URL(server.url);
    browser = await launchChromium(executablePath, [`--host-resolver-rules=MAP localhost:9000 ${host}`]);
    return await walkOn(server, browser, env, take);
  } finally {
    await browser?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function walkOn(
  server: RunningServer,
  browser: Browser,
  env: Environment,
  take: TakePicture,
): Promise<FirstHour> {
  const pictures: string[] = [];
  const complaints: string[] = [];
  const walk: Walk = {
    window: () => openWindow(browser, complaints),
    async picture(page, name) {
      await page.waitForLoadState('networkidle');
      pictures.push(name);
      await take(page, name);
    },
  };
  const { link, password, token } = readTerminal(server.stdout());
  const page = await walk.window();
  await signInByLink(walk, page, link);
  await changePassword(page, password);
  await addSecondFactor(walk, page);
  await makeGroup(page);
  await connectApplication(walk, page);
  await inviteDana(walk, page);
  await letDanaIn(walk, page);
  await readEvents(walk, page);
  await makeBackup(page, env);
  const { checklist } = (await server.as(token).get('/admin/overview/')).body;
  const done = checklist.filter((item: { is_done: boolean }) => item.is_done);
  return { pictures, complaints, done: done.map(({ name }: { name: string }) => name) };
}

async function openWindow(browser: Browser, complaints: string[]): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 750 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return page;
}

/** What the first start prints. */
function readTerminal(text: string): { link: string; password: string; token: string } {
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(text)?.[1];
    if (!found) throw new Error(`the first start printed nothing like ${pattern}`);
    return found;
  };
  return {
    link: find(/^ {2}(http\S+\/if\/first-sign-in\/\S+)$/m),
    password: find(/^ {2}password +(\S+)$/m),
    token: find(/^ {2}API token +(\S+)$/m),
  };
}

async function signInByLink({ picture }: Walk, page: Page, link: string): Promise<void> {
  await page.goto(link);
  await picture(page, 'welcome');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Set up this server' }).waitFor();
  await picture(page, 'start');
}

async function changePassword(page: Page, printed: string): Promise<void> {
  await page.getByRole('link', { name: 'Change your password' }).click();
  await page.waitForURL('**/if/user/password/');
  await page.getByLabel('Current password', { exact: true }).fill(printed);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('New password', { exact: true }).fill(passwords.admin);
  await page.getByLabel('New password (repeat)', { exact: true }).fill(passwords.admin);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed.').waitFor();
}

async function addSecondFactor({ picture }: Walk, page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).click();
  await page.getByRole('link', { name: 'Authenticator app' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await picture(page, 'second-factor');
  await page.getByText('Cannot scan it?').click();
  const secret = (await page.locator('details code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code from the app').fill(TOTP.generate({ secret: Secret.fromBase32(secret) }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

const choose = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name, exact: true }).click();

async function makeGroup(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Administration' }).click();
  await choose(page, 'Groups');
  await page.getByRole('link', { name: 'New group' }).click();
  await page.locator('[data-field="name"] input').fill('Staff');
  await page.getByRole('button', { name: 'Create' }).click();
  // The announcement moves the focus: what comes next must not have it yet.
  await page.getByText('Staff is created.').waitFor();
}

async function connectApplication({ picture }: Walk, page: Page): Promise<void> {
  await choose(page, 'Applications');
  await page.getByRole('link', { name: 'New application' }).click();
  await page.getByLabel('Search applications').fill('grafana');
  await page.getByRole('link', { name: /^Grafana/ }).click();
  await page.getByLabel('Address (required)').fill('https://grafana.example.org');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Members of groups').check();
  await pick(page, 'Groups', 'Staff');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Grafana is created' }).waitFor();
  await picture(page, 'application');
}

async function inviteDana({ window, picture }: Walk, page: Page): Promise<void> {
  await choose(page, 'Flows');
  await page.getByRole('switch', { name: 'Enrollment by invitation', checked: true }).waitFor();
  await choose(page, 'Users');
  await page.getByRole('button', { name: 'Invite…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Dana Example');
  await dialog.getByLabel('Email').fill('dana@example.org');
  await dialog.getByRole('button', { name: 'Create an invitation' }).click();
  await dialog.getByRole('img', { name: 'The link as a QR code' }).waitFor();
  await picture(page, 'invitation');
  const link = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Close' }).first().click();

  const other = await window();
  await other.goto(link);
  await other.getByLabel('Username').fill('dana');
  await other.getByLabel('Password', { exact: true }).fill(passwords.dana);
  await other.getByLabel('Password (repeat)').fill(passwords.dana);
  await picture(other, 'enrolment');
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
  await other.waitForLoadState('networkidle');
  await other.context().close();
}

async function letDanaIn({ picture }: Walk, page: Page): Promise<void> {
  await choose(page, 'Groups');
  await page.getByRole('main').getByRole('link', { name: 'Staff', exact: true }).click();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await pick(page, 'Add a member', 'dana');
  await page.getByText('A member is added to Staff.').waitFor();
  await choose(page, 'Access');
  await pick(page, 'Person', 'dana');
  await pick(page, 'Application', 'Grafana');
  await page.getByText('Grafana is open by the group Staff.').waitFor();
  await picture(page, 'access');
}

async function readEvents({ picture }: Walk, page: Page): Promise<void> {
  await choose(page, 'Events');
  await page.getByText('admin created the application Grafana.').waitFor();
  await page.getByText('admin created the application Grafana.').click();
  await picture(page, 'events');
}

async function makeBackup(page: Page, env: Environment): Promise<void> {
  const { code, stderr } = await runGatehouse(['backup', '--to', `${env.GATEHOUSE_DATA_DIR}.backup`], env);
  if (code !== 0) throw new Error(stderr);
  await choose(page, 'Start');
  await page.getByRole('listitem').filter({ hasText: 'Make a backup, done' }).waitFor();
  await page.waitForLoadState('networkidle');
}
