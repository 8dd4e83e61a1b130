import { createLruCache } from '../lib/lru-cache.ts';
import { Undeliverable, Undelivered } from './transport-kind.ts';

/** Failures that took longer were spent waiting. */
const longMs = 5_000;
const pauseMs = 60_000;
const maxTransports = 1_000;

/**
 * A circuit breaker for each transport, which opens when a receiver times out. Few jobs run at a time: waiting for
 * it with each message would keep all others from their turn, mails for people who wait among them.
 */
export function createCircuitBreaker(): { try<T>(transport: string, send: () => Promise<T>): Promise<T> } {
  const openUntil = createLruCache<number>(maxTransports);
  return {
    async try(transport, send) {
      const started = performance.now();
      if ((openUntil.get(transport) ?? 0) > started) {
        throw new Undelivered('The receiver took too long to answer a moment ago; it is tried again later.');
      }
      try {
        return await send();
      } catch (error) {
        const now = performance.now();
        if (isTimeout(error) && now - started > longMs) openUntil.set(transport, now + pauseMs);
        throw error;
      }
    },
  };
}

/** A permanent rejection is a response, and other errors are not the receiver's. */
const isTimeout = (error: unknown): boolean => error instanceof Undelivered && !(error instanceof Undeliverable);
