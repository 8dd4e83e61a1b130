import { defineConfig } from 'vitest/config';
import { closingLine } from './test/support/closing-line.ts';
import { UnitTestsFirst } from './test/support/unit-tests-first.ts';

export default defineConfig({
  test: {
    // A page on a busy machine may take its time.
    expect: { poll: { timeout: 60_000 } },
    include: ['{src,test,bench,scripts}/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Modules hold no state, so test files share them: 1000 cases in 3 s against 23 s.
    isolate: false,
    // As fast as threads here, with half the memory, and a crash takes one worker only.
    pool: 'forks',
    // One more than CI has cores: many tests wait for a disk, a delay of the server or another process.
    maxWorkers: 3,
    sequence: { sequencer: UnitTestsFirst },
    // Nothing here measures time: the limits only end what hangs, also on a machine that is busy or was paused for
    // minutes.
    hookTimeout: 600_000,
    testTimeout: 600_000,
    // Under CI a flaky test costs a line at the end, not the run. Here it fails.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', closingLine()],
    // Node itself runs the sources, by type stripping, as it does in development.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
