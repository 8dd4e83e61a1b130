import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { axeViolations } from '../support/axe.ts';
import { signInFlow } from '../support/flow-client.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';

const phone = { width: 375, height: 740 };

const journeys = [
  {
    locale: 'ar',
    direction: 'rtl',
    welcome: 'مرحبًا بك في Gatehouse!',
    username: /اسم المستخدم/,
    next: 'متابعة',
    password: 'كلمة المرور',
    wrong: 'كلمة المرور غير صحيحة.',
    sections: { '': 'التطبيقات', profile: 'الملف الشخصي', sessions: 'الجلسات', tokens: 'الرموز المميزة' },
  },
  {
    locale: 'de-AT',
    direction: 'ltr',
    welcome: 'Willkommen bei Gatehouse!',
    username: /Benutzername/,
    next: 'Weiter',
    password: 'Passwort',
    wrong: 'Das Passwort ist nicht richtig.',
    sections: { '': 'Anwendungen', profile: 'Profil', sessions: 'Sitzungen', tokens: 'Token' },
  },
];

/** Nothing reaches beyond the window, and axe finds nothing wrong. */
async function checkLayout(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
    .toBe(0);
  expect(await axeViolations(page)).toEqual([]);
}

const adminJourneys = [
  {
    locale: 'ar',
    titles: {
      '/': 'البداية',
      '/events/events/': 'الأحداث',
      '/access/': 'الوصول',
      '/applications/new/': 'تطبيق جديد',
      '/new/policies/expression/': /^إنشاء /,
      '/everything/': 'كل شيء',
      '/core/users/?dialog=invite': 'دعوة شخص',
    },
    event: (name: string) => new RegExp(`أنشأ .*admin.*المجموعة.*${name}`),
  },
  {
    locale: 'de-AT',
    titles: {
      '/': 'Start',
      '/events/events/': 'Ereignisse',
      '/events/system_tasks/': 'Jobs',
      '/access/': 'Zugriff',
      '/applications/new/': 'Neue Anwendung',
      '/new/policies/expression/': /^Neu: /,
      '/everything/': 'Alles',
      '/core/users/?dialog=invite': 'Jemanden einladen',
    },
    event: (name: string) => new RegExp(`admin hat die Gruppe ${name} erstellt\\.`),
  },
];

describeJourney('administrators whose browser speaks another language', (journey) => {
  test.each(adminJourneys)('find the admin pages in $locale', async ({ locale, titles, event }) => {
    const name = unique('staff');
    await journey().server.admin.post('/core/groups/', { name });
    const page = await visitAdmin(journey(), '/', { locale });
    for (const [path, title] of Object.entries(titles)) {
      await page.waitForLoadState('networkidle');
      await openAdmin(page, path);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      await checkLayout(page);
    }
    await openAdmin(page, '/events/events/');
    await page.getByText(event(name)).waitFor();
    await page.waitForLoadState('networkidle');
  });
});

describeJourney('people whose browser speaks another language', (journey) => {
  test.each(journeys)('sign in and see their account in $locale', async ({ locale, direction, ...words }) => {
    const { username } = await personWithPassword(journey().server);
    const page = await journey().window({ locale, viewport: phone });
    await page.goto(`/if/flow/${signInFlow}/`);
    await page.getByText(words.welcome).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    expect(await page.locator('html').getAttribute('dir')).toBe(direction);
    await checkLayout(page);
    await page.getByLabel(words.username).fill(username);
    await page.getByRole('button', { name: words.next }).click();
    const field = page.getByLabel(words.password, { exact: true });
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText(words.wrong).waitFor();
    await checkLayout(page);
    await field.fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/');
    expect(await whoIs(page)).toBe(username);
    for (const [slug, title] of Object.entries(words.sections)) {
      await page.waitForLoadState('networkidle');
      await page.goto(`/if/user/${slug && `${slug}/`}`);
      await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      await checkLayout(page);
    }
  });

  test('choose their language on their page, which the whole server then speaks', async () => {
    const { username } = await personWithPassword(journey().server);
    const page = await journey().window();
    await page.goto(`/if/flow/${signInFlow}/?next=/if/user/profile/`);
    await page.getByLabel(/username/).fill(username);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/if/user/profile/');
    await page.getByLabel('Locale').selectOption({ label: '日本語' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'プロフィール', level: 1 }).waitFor();
    await page.locator('summary', { hasText: 'アカウントメニュー' }).click();
    await page.getByText('サインアウト', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
  });
});
