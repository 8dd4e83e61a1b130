// Takes the pictures of docs/first-hour.md from the pages of a new server: npm run pictures
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium } from '../test/support/chromium.ts';
import { walkFirstHour } from '../test/support/first-hour.ts';

const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url));

const executablePath = await findChromium();
if (!executablePath)
  throw new Error('There is no Chromium on this machine: install one, such as chromium-headless-shell.');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { pictures, complaints } = await walkFirstHour(executablePath, async (page, name) => {
  await page.locator('.announcement p').waitFor({ state: 'detached' });
  // Playwright writes no WebP, which takes a third of what PNG does.
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
  writeFileSync(`${folder}${name}.webp`, Buffer.from(data, 'base64'));
});
if (complaints.length > 0) throw new Error(complaints.join('\n'));
process.stdout.write(`docs/pictures has ${pictures.length} pictures\n`);
