import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { meterLoops } from './meter.ts';

/** A value inside QuickJS, valid until the next `reset`. */
export type Handle = number;

export interface Host {
  /** Called every few microseconds while code runs. Throw to stop the code, which cannot catch it. */
  tick(): void;
  /** The current time in milliseconds. */
  now(): number;
  /** Implements the function made with `hostFunction`. */
  call(name: string, payload: string): string;
}

/** A QuickJS instance in its own WebAssembly memory. Its `Host` is its only access to the outside. */
export interface QuickJs {
  /** Null if the source is invalid; the error is then the pending exception. */
  compile(source: string, fileName: string): Uint8Array | null;
  /** Throws if the bytecode does: bytecode is ours and only defines functions. */
  evaluate(bytecode: Uint8Array): Handle;
  /** The result may be an exception. */
  call(fn: Handle, args: readonly Handle[]): Handle;
  hostFunction(): Handle;
  string(text: string): Handle;
  readString(value: Handle): string;
  property(object: Handle, name: string): Handle;
  isException(value: Handle): boolean;
  takeException(): Handle;
  setMemoryLimit(bytes: number): void;
  /** Captures the current state for `reset`, with room to grow by this many bytes. */
  capture(heapBytes: number): void;
  /** False if the memory has outgrown the captured state, which cannot be undone. */
  canReset(): boolean;
  reset(): void;
}

export class QuickJsMemoryFull extends Error {}

interface Exports {
  memory: WebAssembly.Memory;
  __stack_pointer: WebAssembly.Global;
  _initialize(): void;
  wasm_malloc(bytes: number): number;
  wasm_free(pointer: number): void;
  qjs_init2(intrinsics: number): number;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_compile(source: number, length: number, name: number, flags: number, strip: number, lengthOut: number): number;
  qjs_eval_bytecode(pointer: number, length: number): Handle;
  qjs_call(fn: Handle, self: Handle, count: number, args: number): Handle;
  qjs_get_undefined(): Handle;
  qjs_new_string(pointer: number, length: number): Handle;
  qjs_get_string_len(value: Handle, lengthOut: number): number;
  qjs_free_cstring(pointer: number): void;
  qjs_get_prop_string(object: Handle, name: number): Handle;
  qjs_is_exception(value: Handle): number;
  qjs_get_exception(): Handle;
  qjs_new_host_function(name: number, nameLength: number, arity: number): Handle;
  qjs_free_value(value: Handle): void;
}

/** The language features of a context; objects, arrays, strings, errors and `Math` are always present. */
export const features = {
  date: 1 << 0,
  eval: 1 << 1,
  regExp: 1 << 2,
  json: 1 << 3,
  proxy: 1 << 4,
  mapAndSet: 1 << 5,
  typedArrays: 1 << 6,
  promise: 1 << 7,
  bigInt: 1 << 8,
};

const turnsPerTick = 2000;
const stripSource = 1 << 4;
/** Half of the module's stack: QuickJS needs the rest to handle a stack overflow. */
const stackBytes = 256 * 1024;

export function loadQuickJs(): WebAssembly.Module {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return new WebAssembly.Module(meterLoops(readFileSync(path), 'host_interrupt', turnsPerTick));
}

export function startQuickJs(module: WebAssembly.Module, contextFeatures: number, host: Host): QuickJs {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let image = { bytes: new Uint8Array(), at: 0, memoryBytes: 0 };

  const js = instantiate(module, host, (handles) => {
    const [name = '', payload = ''] = handles.map(readString);
    return string(host.call(name, payload));
  });
  js._initialize();
  if (js.qjs_init2(contextFeatures) !== 0) throw new Error('QuickJS does not start');
  js.qjs_set_max_stack_size(stackBytes);
  const lengthOut = allocate(4);

  return {
    compile(source, fileName) {
      const pointer = lend(encoder.encode(source), (text, length) =>
        lend(encoder.encode(fileName), (name) => js.qjs_compile(text, length, name, 0, stripSource, lengthOut)),
      );
      return pointer === 0 ? null : bytes().slice(pointer, pointer + readLength());
    },
    evaluate: (bytecode) => sound(lend(bytecode, js.qjs_eval_bytecode)),
    call: (fn, args) =>
      lend(new Uint8Array(Uint32Array.from(args).buffer), (list) =>
        js.qjs_call(fn, js.qjs_get_undefined(), args.length, list),
      ),
    hostFunction: () => lend(encoder.encode('host'), (name, length) => js.qjs_new_host_function(name, length, 2)),
    string,
    readString,
    property: (object, name) => lend(encoder.encode(name), (at) => js.qjs_get_prop_string(object, at)),
    isException: (value) => js.qjs_is_exception(value) !== 0,
    takeException: () => js.qjs_get_exception(),
    setMemoryLimit: (limit) => js.qjs_set_memory_limit(limit),
    capture(heapBytes) {
      js.wasm_free(allocate(heapBytes));
      // The module's stack is below its data and heap. Memory above the heap is unused.
      const at = js.__stack_pointer.value;
      const top = allocate(256 * 1024);
      js.wasm_free(top);
      image = { bytes: bytes().slice(at, top + 64), at, memoryBytes: js.memory.buffer.byteLength };
    },
    canReset: () => js.memory.buffer.byteLength === image.memoryBytes,
    reset() {
      bytes().set(image.bytes, image.at);
      js.__stack_pointer.value = image.at;
    },
  };

  function bytes(): Uint8Array {
    return new Uint8Array(js.memory.buffer);
  }

  function allocate(length: number): number {
    const at = js.wasm_malloc(length);
    if (at === 0) throw new QuickJsMemoryFull();
    return at;
  }

  /** Copies bytes into QuickJS's memory, zero-terminated, while `use` runs. */
  function lend(content: Uint8Array, use: (at: number, length: number) => number): number {
    const at = allocate(content.length + 1);
    const memory = bytes();
    memory.set(content, at);
    memory[at + content.length] = 0;
    const result = use(at, content.length);
    js.wasm_free(at);
    return result;
  }

  function readLength(): number {
    return new DataView(js.memory.buffer).getUint32(lengthOut, true);
  }

  function string(text: string): Handle {
    return sound(lend(encoder.encode(text), js.qjs_new_string));
  }

  function sound(value: Handle): Handle {
    if (value === 0 || js.qjs_is_exception(value) !== 0) throw new QuickJsMemoryFull();
    return value;
  }

  function readString(value: Handle): string {
    const at = js.qjs_get_string_len(value, lengthOut);
    if (at === 0) throw new QuickJsMemoryFull();
    const text = decoder.decode(bytes().subarray(at, at + readLength()));
    js.qjs_free_cstring(at);
    return text;
  }
}

function instantiate(module: WebAssembly.Module, host: Host, onCall: (args: Handle[]) => Handle): Exports {
  const notSupported = 52;
  const instance = new WebAssembly.Instance(module, {
    env: {
      host_interrupt: () => {
        host.tick();
        return 0;
      },
      host_call: (_name: number, _nameLength: number, _self: Handle, count: number, list: number) => {
        const view = new DataView(js().memory.buffer);
        return onCall(Array.from({ length: count }, (_, index) => view.getUint32(list + index * 4, true)));
      },
      host_get_timezone_offset: () => 0,
      host_promise_rejection: (promise: Handle, reason: Handle) => {
        js().qjs_free_value(promise);
        js().qjs_free_value(reason);
      },
      host_module_normalize: () => 0,
      host_module_load: () => 0,
    },
    wasi_snapshot_preview1: {
      clock_time_get: (_clock: number, _precision: bigint, out: number) => {
        new DataView(js().memory.buffer).setBigUint64(out, BigInt(host.now()) * 1_000_000n, true);
        return 0;
      },
      fd_close: () => notSupported,
      fd_fdstat_get: () => notSupported,
      fd_seek: () => notSupported,
      fd_write: () => notSupported,
      random_get: () => notSupported,
    },
  });
  return js();

  function js(): Exports {
    // The module is built with these exports.
    return instance.exports as unknown as Exports;
  }
}
