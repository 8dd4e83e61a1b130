import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What stands beside the sources is quick, and says more precisely what broke. */
export class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isUnitTest = (file: TestSpecification) => file.moduleId.includes('/src/');
    return [...sorted.filter(isUnitTest), ...sorted.filter((file) => !isUnitTest(file))];
  }
}
