import { createLruCache } from '../lib/lru-cache.ts';
import { Undelivered } from './transport-kind.ts';

/** Failures that took longer were spent waiting. */
const longMs = 5_000;
const pauseMs = 60_000;
const maxTransports = 1_000;

/**
 * Leaves a transport alone for a while whose receiver said nothing. Few jobs run at a time: waiting for it with each
 * message would keep all others from their turn, mails for people who wait among them.
 */
export function createPatience(): { try<T>(transport: string, send: () => Promise<T>): Promise<T> } {
  const pausedUntil = createLruCache<number>(maxTransports);
  return {
    async try(transport, send) {
      const started = performance.now();
      if ((pausedUntil.get(transport) ?? 0) > started) {
        throw new Undelivered('The receiver took too long to answer a moment ago; it is tried again later.');
      }
      try {
        return await send();
      } catch (error) {
        const now = performance.now();
        if (now - started > longMs) pausedUntil.set(transport, now + pauseMs);
        throw error;
      }
    },
  };
}
