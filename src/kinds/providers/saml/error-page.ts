import type { UserText } from '../../../lib/texts/message.ts';

/** An error shown to the user, because it cannot be sent to a service provider. */
export class ErrorPage extends Error {
  /** The same as `message`, which is English. */
  readonly words: UserText;
  readonly status: number;
  /** What went wrong inside; for the log. */
  readonly fault: unknown;
  constructor(words: UserText, { status = 400, fault = null }: { status?: number; fault?: unknown } = {}) {
    super(String(words));
    this.words = words;
    this.status = status;
    this.fault = fault;
  }
}
