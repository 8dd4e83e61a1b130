import { messageOf } from '../../lib/error-facts.ts';
import type { Json } from '../../lib/json.ts';
import { features, QuickJsMemoryFull, startQuickJs } from './quickjs.ts';
import { createStopwatch, TimeLimitExceeded } from './stopwatch.ts';

export type EvaluationOutcome =
  | {
      readonly ok: true;
      /** As JSON. */
      readonly value: string;
      /** Whether the evaluation was deterministic: it read neither time nor randomness. */
      readonly isLasting: boolean;
    }
  | { readonly ok: false; readonly error: string };

export interface EvaluationInput {
  readonly bytecode: Uint8Array;
  /** As JSON: the globals, and the names of functions added for the expression. */
  readonly given: string;
  /** Those functions, and others that the prelude calls. */
  readonly functions: Record<string, (...args: Json[]) => Json | undefined>;
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Runs one expression at a time, each in fresh memory. */
export interface SandboxInstance {
  evaluate(work: EvaluationInput): EvaluationOutcome;
  /** What the last evaluation took. */
  readonly spentMs: number;
  readonly isReusable: boolean;
}

export interface Compiler {
  compile(
    source: string,
    fileName: string,
    timeMs?: number,
  ): { bytecode: Uint8Array } | { message: string; line: number };
}

/** The prelude's name for requesting a random number. */
export const randomFunctionName = 'Math.random';

const mebibyte = 1024 * 1024;
/** For describing what happened when all memory was used up. */
const reserveBytes = mebibyte;
const compileTimeMs = 250;
const compileMemoryBytes = 16 * mebibyte;

/** No `eval`, and so no `Function`: the only code is the expression that was compiled and checked. */
const languageOfExpressions =
  features.date |
  features.regExp |
  features.json |
  features.proxy |
  features.mapAndSet |
  features.typedArrays |
  features.promise |
  features.bigInt;

export function openCompiler(module: WebAssembly.Module): Compiler {
  const stopwatch = createStopwatch();
  const engine = startQuickJs(module, features.eval | features.regExp, {
    tick: stopwatch.check,
    now: Date.now,
    call: () => {
      throw new Error('the compiler runs no code');
    },
  });
  engine.setMemoryLimit(compileMemoryBytes);
  engine.capture(compileMemoryBytes + reserveBytes);
  return {
    compile(source, fileName, timeMs = compileTimeMs) {
      engine.reset();
      stopwatch.start(timeMs);
      try {
        const bytecode = engine.compile(source, fileName);
        if (bytecode) return { bytecode };
        engine.setMemoryLimit(compileMemoryBytes + reserveBytes);
        const error = engine.takeException();
        const message = engine.readString(engine.property(error, 'message'));
        const [, line = '1'] = /:(\d+):\d+\s*$/m.exec(engine.readString(engine.property(error, 'stack'))) ?? [];
        return { message, line: Number(line) };
      } catch (error) {
        return { message: `too much to read at once: ${explain(error, timeMs, compileMemoryBytes)}`, line: 1 };
      }
    },
  };
}

export function openSandboxInstance(
  module: WebAssembly.Module,
  prelude: Uint8Array,
  heapBytes: number,
): SandboxInstance {
  const stopwatch = createStopwatch();
  let functions: EvaluationInput['functions'] = {};
  let isLasting = true;
  let spentMs = 0;
  const engine = startQuickJs(module, languageOfExpressions, {
    tick: stopwatch.check,
    now() {
      isLasting = false;
      return Date.now();
    },
    call(name, payload) {
      stopwatch.check();
      if (name === randomFunctionName) isLasting = false;
      const answered = answer(functions, name, payload);
      stopwatch.checkAll();
      return answered;
    },
  });
  const entryPoints = engine.call(engine.evaluate(prelude), [engine.hostFunction()]);
  const run = engine.property(entryPoints, 'run');
  const describe = engine.property(entryPoints, 'describe');
  engine.capture(heapBytes + 2 * reserveBytes);

  return {
    get spentMs() {
      return spentMs;
    },
    get isReusable() {
      return engine.canReset();
    },
    evaluate(work) {
      engine.reset();
      isLasting = true;
      engine.setMemoryLimit(work.memoryBytes);
      stopwatch.start(work.timeMs);
      functions = work.functions;
      try {
        const result = engine.call(run, [engine.evaluate(work.bytecode), engine.string(work.given)]);
        if (!engine.isException(result)) return { ok: true, value: engine.readString(result), isLasting };
        engine.setMemoryLimit(work.memoryBytes + reserveBytes);
        const description = engine.call(describe, [engine.takeException()]);
        if (engine.isException(description)) return { ok: false, error: 'The expression threw without words.' };
        const error = engine.readString(description);
        if (outOfMemory.test(error)) throw new QuickJsMemoryFull();
        return { ok: false, error };
      } catch (error) {
        return { ok: false, error: explain(error, work.timeMs, work.memoryBytes) };
      } finally {
        spentMs = work.timeMs - stopwatch.leftMs;
        functions = {};
      }
    },
  };
}

const outOfMemory = /^\w+: out of memory/;

/**
 * Explains errors that end an evaluation from outside. They never propagate: an expression can only fail its own
 * evaluation.
 */
function explain(error: unknown, timeMs: number, memoryBytes: number): string {
  if (error instanceof TimeLimitExceeded) return `The expression took longer than ${timeMs} ms.`;
  if (error instanceof QuickJsMemoryFull) {
    return `The expression used more than ${(memoryBytes / mebibyte).toFixed(1)} MiB of memory.`;
  }
  return `The expression broke off: ${messageOf(error)}`;
}

/** Passes a function's failure to the expression as a message, without the stack. */
function answer(functions: EvaluationInput['functions'], name: string, payload: string): string {
  try {
    const fn = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!fn) throw new Error(`there is no function ${name}`);
    return JSON.stringify({ value: fn(...JSON.parse(payload)) ?? null });
  } catch (error) {
    return JSON.stringify({ error: messageOf(error) });
  }
}
