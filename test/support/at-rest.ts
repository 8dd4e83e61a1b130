import type { Page, Request } from 'playwright-core';
import { until } from './jobs.ts';

/** Those that stay open, or that never respond. */
const lasting = new Set(['eventsource', 'websocket', 'ping']);

/**
 * The page has rendered its data, and has nothing left to do. On a busy machine Chromium may not draw a page until
 * something else happens.
 */
const drawn = `new Promise((done) => {
  requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1000 }));
  setTimeout(done, 5000);
})`;

/**
 * Waits until a page has no requests under way and has drawn what they brought. Playwright's `networkidle` takes half a
 * second longer, and fires once for a document: after a move within one it says nothing.
 */
export function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let begun = 0;
  page.on('request', (request) => {
    begun += 1;
    if (!lasting.has(request.resourceType())) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return async () => {
    for (let seen = -1; seen !== begun; ) {
      await until(() => open.size === 0);
      seen = begun;
      await page.evaluate(drawn).catch((error: Error) => {
        if (!/context was destroyed/.test(error.message)) throw error;
        // It has gone to another document meanwhile.
        seen = -1;
      });
    }
  };
}
