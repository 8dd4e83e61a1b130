import { runCommandLine } from '../../src/app/cli/command-line.ts';

/** The command line within this process, for what needs no process of its own. */
export async function run(args: readonly string[], env: Record<string, string> = {}) {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(args, env, {
    stdout: {
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
      },
    },
  });
  return { code, stdout, stderr };
}
