import { runCommandLine } from './app/cli/command-line.ts';

// Data, keys and backups are nobody else's to read.
process.umask(0o077);
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
