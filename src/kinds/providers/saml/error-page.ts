/** Words for the person whose browser came, where no service provider can be told. */
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
