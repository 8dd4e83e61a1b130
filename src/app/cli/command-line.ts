import { errorFacts } from '../../lib/error-facts.ts';
import { nearestWord } from '../../lib/nearest-word.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { describeConnectionError } from '../../platform/connection-error.ts';
import { isDamaged, isRefusal, isUnreachable } from '../../platform/db/unreachable.ts';
import { databaseName } from '../open-database.ts';
import { version } from '../version.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { type Command, CommandError, parseOptions } from './command.ts';
import { demo } from './demo.ts';
import { errorText } from './error-text.ts';
import { migrateDatabase } from './migrate.ts';
import { outpost } from './outpost.ts';
import { recoverAdmin } from './recover-admin.ts';
import { restore } from './restore.ts';
import { restoreDefaultObjects } from './restore-defaults.ts';
import { serve } from './serve.ts';
import { applySettingsFile } from './settings-file.ts';

const commands: readonly Command[] = [
  serve,
  migrateDatabase,
  backup,
  restore,
  recoverAdmin,
  restoreDefaultObjects,
  check,
  demo,
  outpost,
];

const helpWords = new Set(['help', '--help', '-h']);

/** Output streams; those of the process by default. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs one command and returns the exit code of the process: 0 done, 1 refused or failed, 2 not understood. */
export async function runCommandLine(
  givenArgs: readonly string[],
  givenEnv: NodeJS.ProcessEnv,
  terminal: Terminal = process,
): Promise<number> {
  const say = (text: string) => {
    terminal.stdout.write(`${text}\n`);
    return 0;
  };
  const complain = (text: string, code: number) => {
    terminal.stderr.write(`${text}\n`);
    return code;
  };
  const failed = (error: unknown) => complain(errorText(error), error instanceof CommandError ? error.exitCode : 1);
  let args = givenArgs;
  let env = givenEnv;
  try {
    ({ args, env } = applySettingsFile(givenArgs, givenEnv));
  } catch (error) {
    return failed(error);
  }
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
    return await runCommand(command, rest, env);
  } catch (error) {
    return failed(error);
  }
}

async function runCommand(command: Command, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = parseOptions(command, args);
  const config = readConfig(env);
  try {
    return await command.run({ config, options });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`gatehouse ${command.name} failed: ${describe(error, config)}`);
  }
}

function describe(error: unknown, config: Config): string {
  const message = errorText(error);
  if (isDamaged(error)) return `${databaseName(config)} is damaged: ${message}`;
  if (isUnreachable(error)) return `${databaseName(config)} cannot be reached: ${message}`;
  const trouble = describeConnectionError(errorFacts(error).code);
  if (trouble !== null) return `${databaseName(config)} cannot be reached: ${trouble}`;
  return isRefusal(error) ? `${databaseName(config)} refuses (DATABASE_URL): ${message}` : message;
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
    'gatehouse <command> --help shows the options. Settings come from the environment, or from a file:',
    '  --settings <file>   read settings as systemd reads an EnvironmentFile; they win over the environment',
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
