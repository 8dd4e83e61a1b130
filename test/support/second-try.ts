import { type RunnerTestSuite, type TestContext, TestRunner } from 'vitest';

/**
 * Before the second try of a test (`retry`), prepares its describes again, so that the state of the first try does not
 * matter: their `beforeAll` hooks run again and replace the server and what was made on it.
 */
export async function startOver({ task }: TestContext): Promise<void> {
  if (!task.result?.retryCount) return;
  const describes: RunnerTestSuite[] = [];
  for (let suite = task.suite; suite; suite = suite.suite) describes.unshift(suite);
  for (const suite of describes) for (const prepare of TestRunner.getSuiteHooks(suite).beforeAll) await prepare(suite);
}
