import { relative } from 'node:path';
import type { TestError } from 'vitest';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Prints `N passed, N failed, N skipped` as the last line of a run, and before it the skipped tests with reasons, and
 * the tests that passed at a second try only. Under CI skipped tests fail the run.
 */
export function closingLine(): Reporter {
  let vitest: Vitest | null = null;
  return {
    onInit(context) {
      vitest = context;
    },
    onTestRunEnd(modules, unhandledErrors) {
      const tests = modules.flatMap((module) => [...module.children.allTests()]);
      const count = (state: string) => tests.filter((test) => test.result().state === state).length;
      const skipped = tests.filter((test) => test.result().state === 'skipped');
      // Whoever asked for a few tests by name knows that the others did not run.
      const wantsAll = !vitest?.config.testNamePattern;
      if (skipped.length > 0 && wantsAll)
        tellSkipped(skipped, vitest?.getRootProject().getProvidedContext().postgresMissing);
      if (skipped.length > 0 && process.env.CI) process.exitCode = 1;
      // A file that could not be loaded or whose hooks threw has failed, though none of its tests may have.
      const failed = count('failed') + brokenModules(modules) + unhandledErrors.length;
      // The last line also when Vitest's own summary is printed by a reporter that comes after this one.
      const lines = [...secondTries(tests), `${count('passed')} passed, ${failed} failed, ${skipped.length} skipped`];
      setImmediate(() => process.stdout.write(`${lines.join('\n')}\n`));
    },
  };
}

function brokenModules(modules: readonly TestModule[]): number {
  return modules.filter((module) => {
    const hasFailedTest = [...module.children.allTests('failed')].length > 0;
    return module.state() === 'failed' && !hasFailedTest;
  }).length;
}

/** Each flaky test, with what failed first and where. */
function secondTries(tests: readonly TestCase[]): string[] {
  const flaky = tests.filter((test) => test.diagnostic()?.flaky);
  if (flaky.length === 0) return [];
  return [
    `FLAKY: ${flaky.length} ${flaky.length === 1 ? 'test' : 'tests'} passed only at the second try`,
    ...flaky.flatMap((test) => [
      `  needed a second try: ${test.module.relativeModuleId} > ${test.fullName}`,
      ...(test.result().errors ?? []).map(firstFailure),
    ]),
  ];
}

function firstFailure({ message, stacks }: TestError): string {
  const [line] = message.split('\n');
  const [place] = stacks ?? [];
  return `    ${line}${place ? ` (${relative('.', place.file)}:${place.line})` : ''}`;
}

function tellSkipped(skipped: readonly TestCase[], postgresMissing: string | undefined): void {
  const files = new Map<string, number>();
  for (const test of skipped)
    files.set(test.module.relativeModuleId, (files.get(test.module.relativeModuleId) ?? 0) + 1);
  const lines = [
    `SKIPPED: ${skipped.length} tests in ${files.size} files${process.env.CI ? ', which fails the run under CI' : ''}`,
    ...(postgresMissing ? [`  No PostgreSQL: ${postgresMissing}`] : []),
    ...[...files].map(([file, tests]) => `  ${file}: ${tests}`),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
