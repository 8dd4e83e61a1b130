import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The accessibility violations of a page; by these rules alone if any are given. */
export async function axeViolations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Evaluated in the page from outside: its content security policy would not let it in otherwise. Once for each
  // document.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], preload: false, ...(rules.length > 0 && { runOnly: rules }) };
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
