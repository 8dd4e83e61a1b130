import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/error-facts.ts';
import { CommandError } from './command.ts';

/**
 * Takes `--settings <file>` out of the arguments of any command and reads that file as systemd reads an EnvironmentFile.
 * As in a unit, the file wins over the environment.
 */
export function applySettingsFile(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const at = args.findIndex((argument) => argument === '--settings' || argument.startsWith('--settings='));
  if (at === -1) return { args, env };
  const isJoined = args[at] !== '--settings';
  const path = isJoined ? args[at]?.slice('--settings='.length) : args[at + 1];
  if (!path || (!isJoined && path.startsWith('--')))
    throw new CommandError('--settings needs a value: --settings <file>.', 2);
  return {
    args: args.toSpliced(at, isJoined ? 1 : 2),
    env: { ...env, ...parseSettings(readText(path)) },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`The settings file cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The format of systemd.exec(5), EnvironmentFile=: one NAME=value per line, comments from the first character of a line on,
 * quotes, a backslash before a line break. Nothing is expanded, so `$` and `&` stand for themselves.
 */
export function parseSettings(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  const assignments =
    /^[ \t]*(?:[#;].*|([A-Za-z_][A-Za-z0-9_]*)[ \t]*=((?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\\\n"'])*))$/gm;
  for (const [, name, value] of text.replaceAll('\r\n', '\n').matchAll(assignments)) {
    if (name !== undefined && value !== undefined) settings[name] = unquote(value.trim());
  }
  return settings;
}

function unquote(value: string): string {
  const parts = /"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])|([^\\"']+)/g;
  return value.replace(parts, (_, double?: string, single?: string, escaped?: string, plain?: string) => {
    if (double !== undefined) return double.replace(/\\([$"\\`\n])/g, (_match, sign) => (sign === '\n' ? '' : sign));
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
    return single ?? plain ?? '';
  });
}
