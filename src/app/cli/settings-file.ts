import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/error-facts.ts';
import { CommandError } from './command.ts';

/**
 * Takes `--settings <file>` out of the arguments of any command and reads that file as systemd reads an
 * EnvironmentFile. As in a unit, the file wins over the environment.
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
 * The format of systemd.exec(5), EnvironmentFile=: one NAME=value per line, comments from the first character of a line
 * on, quotes, a backslash before a line break. Nothing is expanded, so `$` and `&` are literal.
 */
export function parseSettings(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    const endOfLine = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
    const name = /^[ \t]*([A-Za-z_]\w*)[ \t]*=/.exec(text.slice(at, endOfLine));
    if (!name?.[1]) {
      at = endOfLine + 1;
      continue;
    }
    const { value, end } = readValue(text, at + name[0].length);
    settings[name[1]] = value;
    at = end + 1;
  }
  return settings;
}

/** Up to the first line break that is neither quoted nor escaped. */
function readValue(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  /** White space at the end counts only in quotes. */
  let kept = 0;
  let quote = '';
  let at = start;
  for (; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '\\' && quote !== "'") {
      at += 1;
      const escaped = text.charAt(at);
      // In double quotes only these are escaped; before others the backslash stays.
      if (quote === '"' && !'"\\`$\n'.includes(escaped)) value += sign;
      if (escaped !== '\n') value += escaped;
      kept = value.length;
    } else if (sign === quote) {
      quote = '';
    } else if (quote === '' && (sign === '"' || sign === "'")) {
      quote = sign;
    } else if (quote === '' && sign === '\n') {
      break;
    } else {
      if (quote !== '' || value !== '' || !/\s/.test(sign)) value += sign;
      if (quote !== '' || !/\s/.test(sign)) kept = value.length;
    }
  }
  return { value: value.slice(0, kept), end: at };
}
