/** A signal that is aborted once a condition no longer holds, which is checked every minute. */
export interface Guard {
  readonly signal: AbortSignal;
  end(): void;
}

const everyMs = 60_000;

/** What stays open (WebSockets, event streams) ends with the session, and with the server. */
export function whileAllowed(stopping: AbortSignal, isAllowed: () => Promise<boolean>, ms = everyMs): Guard {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // A check that fails allows nothing.
  const timer = setInterval(() => void isAllowed().then((may) => may || abort(), abort), ms);
  stopping.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearInterval(timer);
      stopping.removeEventListener('abort', abort);
    },
  };
}
