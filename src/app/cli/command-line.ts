import { ConfigError, readConfig } from '../../platform/config.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { type Command, CommandError, parseOptions } from './command.ts';
import { migrateDatabase } from './migrate.ts';
import { recoverAdmin } from './recover-admin.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';

const commands: readonly Command[] = [serve, migrateDatabase, backup, restore, recoverAdmin, check];

/** Runs one command and answers the process's exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [name = 'serve', ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') return say(overview());
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return complain(`There is no command "${name}".\n\n${overview()}`, 2);
  if (rest.includes('--help') || rest.includes('-h')) return say(helpOf(command));
  try {
    const options = parseOptions(command, rest);
    return await command.run({ config: readConfig(env), options });
  } catch (error) {
    if (error instanceof CommandError) return complain(error.message, error.exitCode);
    if (error instanceof ConfigError) return complain(error.message, 1);
    return complain(`gatehouse ${command.name} failed: ${(error as Error).message}`, 1);
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return [
    'gatehouse <command>',
    '',
    ...lines,
    '',
    'gatehouse <command> --help tells more. Settings come from the environment.',
  ].join('\n');
}

function helpOf({ name, summary, details, options }: Command): string {
  const lines = Object.entries(options).map(
    ([option, { value, help }]) => `  --${value ? `${option} <${value}>` : option}`.padEnd(26) + help,
  );
  return [
    `gatehouse ${name}${lines.length > 0 ? ' [options]' : ''}`,
    '',
    summary,
    ...(details ? ['', details] : []),
    ...(lines.length > 0 ? ['', ...lines] : []),
  ].join('\n');
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}
