/** Why somebody does not come in by a source, in words for them. */
export class SourceRefusal extends Error {
  readonly status: number;
  /** What whoever runs the server has to set right; recorded as an event. */
  readonly misconfiguration: string | null;

  constructor(
    message: string,
    { status = 400, misconfiguration = null }: { status?: number; misconfiguration?: string | null } = {},
  ) {
    super(message);
    this.status = status;
    this.misconfiguration = misconfiguration;
  }
}

/** The source is set up in a way that cannot work: the person is told so, the administrator why. */
export const misconfigured = (why: string): SourceRefusal =>
  new SourceRefusal(`This source is not set up correctly. ${why} Please tell your administrator.`, {
    misconfiguration: why,
  });
