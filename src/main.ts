import { runCommandLine } from './app/cli/command-line.ts';

// Other users of the machine must not read data, keys and backups.
process.umask(0o077);
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
