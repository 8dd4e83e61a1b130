import type { DestinationStream } from 'pino';
import { isJsonObject } from '../lib/json.ts';

const colours: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };

/** Formats the log for a terminal: one line per entry, with its members. */
export function logLines(terminal: { write(text: string): unknown }): DestinationStream {
  return { write: (text) => terminal.write(lineOf(text)) };
}

function lineOf(text: string): string {
  const { level, time, msg, ...members }: Record<string, unknown> = JSON.parse(text);
  const name = String(level);
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const stack = stackOf(members.err);
  const visible = Object.entries(members).filter(([member]) => member !== 'err' || stack === null);
  const facts = visible.map(([member, value]) => ` ${grey(`${member}=`)}${plain(value)}`).join('');
  const head = `${grey(clock)} \u001b[${colours[name] ?? 0}m${name.toUpperCase().padEnd(5)}\u001b[0m`;
  return `${head} ${plain(msg ?? '')}${facts}\n${stack ? `${stack}\n` : ''}`;
}

const grey = (text: string): string => `\u001b[90m${text}\u001b[0m`;

/** Values may be untrusted: escapes terminal control sequences. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function stackOf(error: unknown): string | null {
  const stack = isJsonObject(error) ? error.stack : null;
  if (typeof stack !== 'string') return null;
  const lines = stack.split('\n');
  return lines.map((line) => `    ${plain(line)}`).join('\n');
}
