/** The part of WebAssembly's JavaScript interface that the sandbox uses: Node's types lack it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    private readonly brand: 'module';
  }

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (...args: never[]) => number | undefined>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }

  interface Memory {
    readonly buffer: ArrayBuffer;
  }

  interface Global {
    value: number;
  }
}
