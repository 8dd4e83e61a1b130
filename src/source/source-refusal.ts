/** Why a login at a source failed, for the user. */
export class SourceRefusal extends Error {
  readonly status: number;
  /** What the administrator has to correct; recorded as an event. */
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

/** The source is misconfigured. The user gets a short message, the administrator an event with the reason. */
export const misconfigured = (why: string): SourceRefusal =>
  new SourceRefusal(`This source is not set up correctly. ${why} Please tell your administrator.`, {
    misconfiguration: why,
  });
