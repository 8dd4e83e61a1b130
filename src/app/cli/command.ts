import { parseArgs } from 'node:util';
import type { Config } from '../../platform/config.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly options: Readonly<Record<string, OptionFacts>>;
  run(input: { readonly config: Config; readonly options: Options }): Promise<number>;
}

export interface OptionFacts {
  /** What the value is called; an option without one is a switch. */
  readonly value?: string;
  readonly required?: boolean;
  readonly help: string;
}

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Something the person at the terminal can mend; shown without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function parseOptions(command: Command, args: readonly string[]): Options {
  const known = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }] as const,
  );
  const values = readArguments(command, args, Object.fromEntries(known));
  const missing = Object.entries(command.options).find(
    ([name, { required }]) => required && values[name] === undefined,
  );
  if (missing)
    throw new CommandError(`gatehouse ${command.name} needs --${missing[0]}; see gatehouse ${command.name} --help`, 2);
  return values;
}

function readArguments(
  command: Command,
  args: readonly string[],
  options: Record<string, { type: 'string' | 'boolean' }>,
): Options {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as Options;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\nSee gatehouse ${command.name} --help.`, 2);
  }
}

/** A line of progress on the terminal, rewritten in place where that is possible. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  let shownAt = 0;
  return {
    show(text: string, isLast = false): void {
      const now = performance.now();
      if (!isLast && now - shownAt < 200) return;
      shownAt = now;
      if (stream.isTTY) stream.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`);
      else if (isLast) stream.write(`${text}\n`);
    },
  };
}
