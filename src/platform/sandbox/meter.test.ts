import { expect, test } from 'vitest';
import { meterLoops } from './meter.ts';

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const types = [0x01, 0x09, 0x02, 0x60, 0x00, 0x01, 0x7f, 0x60, 0x01, 0x7f, 0x00];
const imports = [0x02, 0x0c, 0x01, 0x03, 0x65, 0x6e, 0x76, 0x04, 0x74, 0x69, 0x63, 0x6b, 0x00, 0x00];
const functions = [0x03, 0x02, 0x01, 0x01];
const globals = [0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b];
const exported = [0x07, 0x08, 0x01, 0x04, 0x73, 0x70, 0x69, 0x6e, 0x00, 0x01];
/** `spin(turns) { do {} while (--turns) }` */
const code = [
  ...[0x0a, 0x10, 0x01, 0x0e, 0x00, 0x03, 0x40, 0x20, 0x00],
  ...[0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b, 0x0b],
];
const name = [0x00, 0x05, 0x04, 0x6e, 0x61, 0x6d, 0x65];

const spinning = Uint8Array.from([header, types, imports, functions, globals, exported, code, name].flat());

function spin(module: Uint8Array<ArrayBuffer>, tick: () => number): (turns: number) => void {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { env: { tick } });
  return exports.spin as (turns: number) => void;
}

test('the import is called once in so many turns, and the loop still does its work', () => {
  let calls = 0;
  const metered = spin(meterLoops(spinning, 'tick', 100), () => ++calls);
  metered(1);
  const atOnce = calls;
  metered(1000);
  expect(calls - atOnce).toBe(10);
});

test('without metering the same module calls nothing', () => {
  let calls = 0;
  spin(spinning, () => ++calls)(10_000);
  expect(calls).toBe(0);
});

test('the import can stop a loop of four billion turns by throwing, over and again', () => {
  let left = 50;
  const metered = spin(meterLoops(spinning, 'tick', 1000), () => {
    if (left-- === 0) throw new Error('enough');
    return 0;
  });
  expect(() => metered(0)).toThrow('enough');
  left = 50;
  expect(() => metered(0)).toThrow('enough');
});

test('a module without the import is refused', () => {
  expect(() => meterLoops(spinning, 'tock', 100)).toThrow('does not import tock');
});

test('a module without globals to count in is refused', () => {
  const without = Uint8Array.from([header, types, imports, functions, exported, code].flat());
  expect(() => meterLoops(without, 'tick', 100)).toThrow('lacks its import or its globals');
});

test('an instruction that is not known is refused, since its length could only be guessed', () => {
  const vector = spinning.slice();
  vector[vector.lastIndexOf(0x6b)] = 0xfd;
  expect(() => meterLoops(vector, 'tick', 100)).toThrow('instruction 0xfd');
});

test('a module that is cut short is refused', () => {
  expect(() => meterLoops(spinning.slice(0, 70), 'tick', 100)).toThrow('ends too early');
});
