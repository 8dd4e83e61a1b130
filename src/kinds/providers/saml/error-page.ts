/** An error shown to the user, because it cannot be sent to a service provider. */
export class ErrorPage extends Error {
  readonly status: number;
  /** What went wrong inside; for the log. */
  readonly fault: unknown;
  constructor(message: string, { status = 400, fault = null }: { status?: number; fault?: unknown } = {}) {
    super(message);
    this.status = status;
    this.fault = fault;
  }
}
