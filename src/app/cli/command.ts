import { parseArgs } from 'node:util';
import { nearestWord } from '../../lib/nearest-word.ts';
import type { Config } from '../../platform/config.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly options: Readonly<Record<string, OptionFacts>>;
  /** Returns the exit code. */
  run(input: { readonly config: Config; readonly options: Options }): Promise<number>;
}

export interface OptionFacts {
  /** The name of the value in the help; an option without one is a flag. */
  readonly value?: string;
  readonly required?: boolean;
  readonly help: string;
}

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** An error that the user can fix; printed without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function parseOptions({ name, options }: Command, args: readonly string[]): Options {
  const misunderstood = (text: string) => new CommandError(`${text}\nSee gatehouse ${name} --help.`, 2);
  const types = Object.entries(options).map(
    ([option, { value }]) => [option, { type: value ? ('string' as const) : ('boolean' as const) }] as const,
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const facts = options[token.name];
    if (!facts) throw misunderstood(unknownOption(name, token.rawName, Object.keys(options)));
    if (facts.value && !token.value)
      throw misunderstood(`--${token.name} needs a value: --${token.name} <${facts.value}>.`);
    if (!facts.value && token.value !== undefined) throw misunderstood(`--${token.name} takes no value.`);
  }
  if (positionals.length > 0)
    throw misunderstood(`gatehouse ${name} does not know what to do with "${positionals[0]}".`);
  const missing = Object.entries(options).find(([option, { required }]) => required && values[option] === undefined);
  if (missing) throw misunderstood(`gatehouse ${name} needs --${missing[0]} <${missing[1].value}>.`);
  // `parseArgs` was given the same options; required ones are present.
  return values as Options;
}

function unknownOption(command: string, rawName: string, known: readonly string[]): string {
  const meant = nearestWord(rawName.replace(/^-+/, ''), known);
  return `gatehouse ${command} has no option ${rawName}${meant ? `; did you mean --${meant}?` : '.'}`;
}
