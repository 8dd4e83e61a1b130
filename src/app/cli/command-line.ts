import { nearestWord } from '../../lib/nearest-word.ts';
import { ConfigError, readConfig } from '../../platform/config.ts';
import { version } from '../version.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { type Command, CommandError, parseOptions } from './command.ts';
import { messageOf } from './message-of.ts';
import { migrateDatabase } from './migrate.ts';
import { recoverAdmin } from './recover-admin.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';

const commands: readonly Command[] = [serve, migrateDatabase, backup, restore, recoverAdmin, check];

const helpWords = new Set(['help', '--help', '-h']);

/** Runs one command and answers the process's exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) return complain(overview(), 2);
  if (first === '--version' || first === 'version') return say(version);
  const asksForHelp = helpWords.has(first);
  const name = asksForHelp ? rest[0] : first;
  if (name === undefined) return say(overview());
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return complain(unknownCommand(name), 2);
  if (asksForHelp || rest.some((argument) => argument === '--help' || argument === '-h')) return say(helpOf(command));
  try {
    const options = parseOptions(command, rest);
    return await command.run({ config: readConfig(env), options });
  } catch (error) {
    if (error instanceof CommandError) return complain(error.message, error.exitCode);
    if (error instanceof ConfigError) return complain(error.message, 1);
    return complain(`gatehouse ${command.name} failed: ${messageOf(error)}`, 1);
  }
}

function unknownCommand(name: string): string {
  const meant = nearestWord(
    name,
    commands.map((command) => command.name),
  );
  return `There is no command "${name}"${meant ? `; did you mean ${meant}?` : '.'}\n\n${overview()}`;
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return [
    'gatehouse <command> [options]',
    '',
    ...lines,
    '',
    'gatehouse <command> --help tells more. Settings come from the environment.',
  ].join('\n');
}

function helpOf({ name, summary, details, options }: Command): string {
  const entries = Object.entries(options);
  const usage = entries.map(([option, { value, required }]) => {
    const text = `--${option}${value ? ` <${value}>` : ''}`;
    return required ? ` ${text}` : ` [${text}]`;
  });
  const lines = entries.map(
    ([option, { value, help }]) => `  --${value ? `${option} <${value}>` : option}`.padEnd(26) + help,
  );
  return [
    `gatehouse ${name}${usage.join('')}`,
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
