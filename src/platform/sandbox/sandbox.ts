import { randomBytes } from 'node:crypto';
import { contains, parseCidrs, readAddress } from '../../lib/cidr.ts';
import type { Json } from '../../lib/json.ts';
import { createLruCache } from '../../lib/lru-cache.ts';
import { type Budgets, createBudgets } from './budget.ts';
import { prelude } from './prelude.ts';
import { loadQuickJs } from './quickjs.ts';
import {
  type Compiler,
  openCompiler,
  openSandboxInstance,
  randomFunctionName,
  type SandboxInstance,
} from './sandbox-instance.ts';

/** Runs administrators' expressions: bodies of JavaScript functions, without access to the server. */
export interface Sandbox {
  /** Checks only the syntax; null if it is valid. Lines count from 1. */
  check(source: string): { message: string; line: number } | null;
  /** Never throws, whatever the expression does. No state survives an evaluation. */
  run(source: string, context: Context): Evaluation;
  /** What requests may spend. */
  readonly budgets: Pick<Budgets, 'share' | 'raise'>;
}

export interface Context {
  /** Copied in by name. A function makes the value of a global; it is called only if the expression names it. */
  readonly globals: Record<string, Json | (() => Json)>;
  /** Called with copies of the arguments; their errors reach the expression as messages only. */
  readonly functions?: Record<string, (...args: Json[]) => Json> | undefined;
  readonly timeMs?: number | undefined;
  readonly memoryBytes?: number | undefined;
}

export type Evaluation = { readonly messages: string[]; readonly logs: string[] } & (
  | {
      readonly ok: true;
      readonly value: Json;
      /** Deterministic: it read no time, no randomness and nothing from the host. */
      readonly isLasting: boolean;
    }
  | {
      readonly ok: false;
      readonly error: string;
      /** The budget of the request is spent. */
      readonly isBudgetSpent?: boolean;
    }
);

export interface SandboxOptions {
  /** The size of the cache of compiled code, in bytes. */
  readonly cacheBytes?: number | undefined;
}

const mebibyte = 1024 * 1024;
const defaultTimeMs = 50;
const defaultMemoryBytes = 16 * mebibyte;
const maxSourceLength = 65_536;
const maxNesting = 4;
const maxNotes = 100;
const maxNoteLength = 2000;

const budgetSpent = 'The expressions and patterns of this request took too long together.';

type Compiled = { readonly bytecode: Uint8Array } | { readonly message: string; readonly line: number };

/** Cheap to create: QuickJS is loaded with the first expression (about 100 ms). */
export function createSandbox({ cacheBytes = 8 * mebibyte }: SandboxOptions = {}): Sandbox {
  const compiled = createLruCache<{ readonly bytecode: Uint8Array }>(cacheBytes, cacheSizeOf);
  const idle: SandboxInstance[] = [];
  let parts: { module: WebAssembly.Module; compiler: Compiler; prelude: Uint8Array } | null = null;
  let running = 0;
  const budgets = createBudgets();

  return {
    budgets,
    check(source) {
      const result = compile(source);
      return 'bytecode' in result ? null : result;
    },
    run(source, { globals, functions = {}, timeMs = defaultTimeMs, memoryBytes = defaultMemoryBytes }) {
      const names = namedIn(source, functions);
      const given = JSON.stringify({ globals: picked(globals, namedIn(source, globals)), functions: names });
      const messages: string[] = [];
      const logs: string[] = [];
      const result = compile(source);
      if (!('bytecode' in result)) {
        return { ok: false, error: `SyntaxError: ${result.message} (line ${result.line})`, messages, logs };
      }
      if (running >= maxNesting) {
        return { ok: false, error: 'Expressions call each other too deeply.', messages, logs };
      }
      const budget = budgets.current();
      if (budget?.isSpent) return { ok: false, error: budgetSpent, isBudgetSpent: true, messages, logs };
      const instance = idle.pop() ?? openSandboxInstance(load().module, load().prelude, defaultMemoryBytes);
      running++;
      try {
        const outcome = instance.evaluate({
          bytecode: result.bytecode,
          given,
          functions: { ...builtIns, message: noteIn(messages), log: noteIn(logs), ...functions },
          timeMs: Math.min(timeMs, budget?.leftMs ?? timeMs),
          memoryBytes,
        });
        // One that runs within another is a part of what that takes.
        if (running === 1) budget?.spend(instance.spentMs);
        if (!outcome.ok) {
          return budget?.isSpent
            ? { ok: false, error: budgetSpent, isBudgetSpent: true, messages, logs }
            : { ...outcome, messages, logs };
        }
        // Functions may have effects or return something else each time.
        const isLasting = outcome.isLasting && names.length === 0;
        return { ok: true, value: JSON.parse(outcome.value), isLasting, messages, logs };
      } finally {
        running--;
        if (instance.isReusable) idle.push(instance);
      }
    },
  };

  function load() {
    if (parts) return parts;
    const module = loadQuickJs();
    const compiler = openCompiler(module);
    const ready = compiler.compile(prelude, 'gatehouse', Number.POSITIVE_INFINITY);
    if (!('bytecode' in ready)) throw new Error(`the prelude does not compile: ${ready.message}, line ${ready.line}`);
    parts = { module, compiler, prelude: ready.bytecode };
    return parts;
  }

  function compile(source: string): Compiled {
    if (source.length > maxSourceLength) {
      return { message: `the expression is longer than ${maxSourceLength} characters`, line: 1 };
    }
    const cached = compiled.get(source);
    if (cached) return cached;
    const result = compileBody(load().compiler, source);
    // A failure may be due to a busy machine, so only successes are cached.
    if ('bytecode' in result) compiled.set(source, result);
    return result;
  }
}

/**
 * Text that closes the function around it and opens another could pass as an expression or as a declaration, but hardly
 * as both. So it must compile as both.
 */
function compileBody(compiler: Compiler, source: string): Compiled {
  const asExpression = compiler.compile(`(function () {${source}\n})`, 'expression');
  const complaint =
    'message' in asExpression ? asExpression : compiler.compile(`function expression() {${source}\n}`, 'expression');
  if ('bytecode' in complaint) return asExpression;
  const lines = source.split('\n').length;
  if (complaint.line <= lines) return complaint;
  // After the last line comes only our own closing brace, which must not be quoted to the author.
  return { message: 'a bracket is missing or too many', line: lines };
}

/** With these an expression can use a name without writing it: through the global object, or with escapes. */
const roundabout = /this|\\/i;

/** The names that an expression can use. The rest is not passed in: that would take longer than most expressions. */
const namedIn = (source: string, things: object): string[] =>
  Object.keys(things).filter((name) => source.includes(name) || roundabout.test(source));

const picked = (globals: Context['globals'], names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(
    names.map((name) => {
      const value = globals[name];
      return [name, (typeof value === 'function' ? value() : value) ?? null];
    }),
  );

function cacheSizeOf(source: string, { bytecode }: { readonly bytecode: Uint8Array }): number {
  return source.length * 2 + bytecode.length + 200;
}

function noteIn(notes: string[]): (text: Json) => null {
  return (text) => {
    if (notes.length < maxNotes) notes.push(String(text).slice(0, maxNoteLength));
    return null;
  };
}

const builtIns = {
  [randomFunctionName]: () => Number(randomBytes(8).readBigUInt64LE() >> 11n) / 2 ** 53,
  ip_in: (address: Json, ranges: Json) => {
    if (typeof address !== 'string' || !readAddress(address)) throw new TypeError(`${address} is not an IP address`);
    const texts = Array.isArray(ranges) ? ranges : [ranges];
    return contains(parseCidrs(texts.map(String)), address);
  },
};
