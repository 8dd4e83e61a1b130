import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than their size suggests: they start browsers and processes, or send every operation its
 * requests.
 */
const long = /\/(journey|contract|fuzz|cli|operations)\//;

/**
 * Unit tests come first: they are quick, and say more precisely what broke. The longest files follow, so that none of
 * them runs alone at the end: without a cache of durations (a fresh clone), Vitest sorts by size.
 */
export class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isUnitTest = (file: TestSpecification) => file.moduleId.includes('/src/');
    const isLong = (file: TestSpecification) => long.test(file.moduleId);
    const rank = (file: TestSpecification) => (isUnitTest(file) ? 0 : isLong(file) ? 1 : 2);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
