import { expect, test } from 'vitest';
import { isRefusal } from './unreachable.ts';

const failed = (code: string) => Object.assign(new Error('failed'), { code });

test('several hosts refuse if each of them does', () => {
  const refused = [failed('28P01'), failed('3D000')];
  expect(isRefusal(new AggregateError(refused))).toBe(true);
  expect(isRefusal(new AggregateError([...refused, new Error('failed')]))).toBe(false);
});
