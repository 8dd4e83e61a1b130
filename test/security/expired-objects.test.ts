import { expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { describeOnBoth } from '../support/server.ts';

let ahead = 0;
const clock = { now: () => addMilliseconds(systemClock.now(), ahead) };
const dayMs = 86_400_000;

describeOnBoth(
  'expired objects',
  (server) => {
    test('the expiry of an invitation is not extended by reading or changing it', async () => {
      ahead = 0;
      const path = '/stages/invitation/invitations/';
      const made = (await server().admin.post(path, { name: 'short' })).body;
      ahead = dayMs + 1000;
      const later = (await server().admin.get(`${path}${made.pk}/`)).body;
      expect(later.expires).toBe(made.expires);
      expect(later.expires < clock.now()).toBe(true);
      // A change of something else does not bring it back to life.
      const patched = (await server().admin.patch(`${path}${made.pk}/`, { single_use: true })).body;
      expect(patched.expires).toBe(made.expires);
      const replaced = (await server().admin.put(`${path}${made.pk}/`, { name: 'short' })).body;
      expect(replaced.expires).toBe(made.expires);
    });
  },
  { clock },
);
