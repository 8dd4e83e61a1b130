/**
 * Instruments a WebAssembly module: after a number of loop iterations it calls one of its own imports.
 *
 * QuickJS calls its interrupt handler only between bytecodes and in regular expressions. A native loop
 * (`Array(3e8).join()`, a search in a long string) would block the process for minutes. With this, all loops are
 * counted, and the import can stop the module by throwing: the guest cannot catch what unwinds its interpreter.
 */
export function meterLoops(module: Uint8Array, importName: string, turnsPerCall: number): Uint8Array<ArrayBuffer> {
  const reader = readerOf(module);
  const out: Parts = [reader.bytes(8)];
  let counter = -1;
  let callee = -1;
  while (!reader.isDone) {
    const id = reader.byte();
    const body = reader.bytes(reader.unsigned());
    if (id === section.custom) continue;
    if (id === section.import) callee = findImportedFunction(body, importName);
    if (id === section.global) {
      const added = addGlobal(body);
      counter = added.index;
      writeSection(out, id, added.body);
    } else if (id === section.code) {
      if (counter < 0 || callee < 0) throw new Error('the module to be metered lacks its import or its globals');
      writeSection(out, id, meterCode(body, tick(counter, callee, turnsPerCall)));
    } else {
      writeSection(out, id, [body]);
    }
  }
  return concatenate(out);
}

type Parts = (Uint8Array | number[])[];

const section = { custom: 0, import: 2, global: 6, code: 10 };

const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  brTable: 0x0e,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  f32Const: 0x43,
  f64Const: 0x44,
  i32Eqz: 0x45,
  i32Sub: 0x6b,
  extended: 0xfc,
};

const noResult = 0x40;
const i32 = 0x7f;
const mutable = 0x01;

/** `if (--counter == 0) { counter = turns; callee(); }`. The counter is set first, since the call may never return. */
function tick(counter: number, callee: number, turns: number): number[] {
  const global = unsigned(counter);
  return [
    ...[op.globalGet, ...global, op.i32Const, ...signed(1), op.i32Sub, op.globalSet, ...global],
    ...[op.globalGet, ...global, op.i32Eqz, op.if, noResult],
    ...[op.i32Const, ...signed(turns), op.globalSet, ...global, op.call, ...unsigned(callee), op.drop],
    op.end,
  ];
}

function addGlobal(body: Uint8Array): { index: number; body: Parts } {
  const reader = readerOf(body);
  const index = reader.unsigned();
  const counter = [i32, mutable, op.i32Const, ...signed(1), op.end];
  return { index, body: [unsigned(index + 1), reader.rest(), counter] };
}

function findImportedFunction(body: Uint8Array, wanted: string): number {
  const reader = readerOf(body);
  const decoder = new TextDecoder();
  const count = reader.unsigned();
  for (let index = 0; index < count; index++) {
    reader.bytes(reader.unsigned());
    const name = decoder.decode(reader.bytes(reader.unsigned()));
    const kind = reader.byte();
    if (kind !== 0) throw new Error(`cannot meter a module that imports more than functions (${name})`);
    reader.unsigned();
    if (name === wanted) return index;
  }
  throw new Error(`the module to be metered does not import ${wanted}`);
}

function meterCode(body: Uint8Array, added: number[]): Parts {
  const reader = readerOf(body);
  const count = reader.unsigned();
  const out: Parts = [unsigned(count)];
  for (let index = 0; index < count; index++) {
    const code = reader.bytes(reader.unsigned());
    const loops = findLoops(code);
    out.push(unsigned(code.length + loops.length * added.length));
    let from = 0;
    for (const at of loops) {
      out.push(code.subarray(from, at), added);
      from = at;
    }
    out.push(code.subarray(from));
  }
  return out;
}

/** The offsets just after each `loop` instruction of a function. */
function findLoops(code: Uint8Array): number[] {
  const reader = readerOf(code);
  for (let groups = reader.unsigned(); groups > 0; groups--) {
    reader.unsigned();
    reader.byte();
  }
  const loops: number[] = [];
  while (!reader.isDone) {
    const opcode = reader.byte();
    skipImmediates(reader, opcode);
    if (opcode === op.loop) loops.push(reader.at);
  }
  return loops;
}

function skipImmediates(reader: Reader, opcode: number): void {
  if (opcode === op.brTable) reader.skipNumbers(reader.unsigned() + 1);
  else if (opcode === op.f32Const) reader.bytes(4);
  else if (opcode === op.f64Const) reader.bytes(8);
  else if (opcode === op.extended) reader.skipNumbers(countExtendedNumbers(reader.unsigned()));
  else reader.skipNumbers(countNumbers(opcode));
}

const withoutNumber = new Set([0x00, 0x01, 0x05, op.end, 0x0f, op.drop, 0x1b]);
const withOneNumber = new Set([op.block, op.loop, op.if, 0x0c, 0x0d, op.call, 0x3f, 0x40, op.i32Const, 0x42]);

/** WebAssembly core specification, section 5.4. Unknown instructions are refused rather than guessed. */
function countNumbers(opcode: number): number {
  if (opcode >= op.i32Eqz && opcode <= 0xc4) return 0;
  if (opcode >= 0x28 && opcode <= 0x3e) return 2;
  if (opcode >= 0x20 && opcode <= 0x26) return 1;
  if (withoutNumber.has(opcode)) return 0;
  if (withOneNumber.has(opcode)) return 1;
  if (opcode === op.callIndirect) return 2;
  throw new Error(`cannot meter a module with the instruction 0x${opcode.toString(16)}`);
}

function countExtendedNumbers(opcode: number): number {
  if (opcode <= 7) return 0;
  if (opcode === 10) return 2;
  if (opcode === 11) return 1;
  throw new Error(`cannot meter a module with the instruction 0xfc ${opcode}`);
}

interface Reader {
  readonly at: number;
  readonly isDone: boolean;
  byte(): number;
  bytes(length: number): Uint8Array;
  rest(): Uint8Array;
  unsigned(): number;
  skipNumbers(count: number): void;
}

function readerOf(source: Uint8Array): Reader {
  let at = 0;
  const byte = (): number => {
    const value = source[at++];
    if (value === undefined) throw new Error('the module to be metered ends too early');
    return value;
  };
  const bytes = (length: number): Uint8Array => {
    if (at + length > source.length) throw new Error('the module to be metered ends too early');
    at += length;
    return source.subarray(at - length, at);
  };
  return {
    get at() {
      return at;
    },
    get isDone() {
      return at >= source.length;
    },
    byte,
    bytes,
    rest: () => bytes(source.length - at),
    unsigned() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const next = byte();
        value |= (next & 0x7f) << shift;
        if (next < 0x80) return value >>> 0;
      }
    },
    skipNumbers(count) {
      for (let index = 0; index < count; index++) while (byte() >= 0x80);
    },
  };
}

function unsigned(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  out.push(rest);
  return out;
}

/** For non-negative values: one more bit, so that the last byte does not read as a sign. */
function signed(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x40; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  out.push(rest);
  return out;
}

function writeSection(out: Parts, id: number, body: Parts): void {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  out.push([id, ...unsigned(length)]);
  for (const part of body) out.push(part);
}

function concatenate(parts: Parts): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
