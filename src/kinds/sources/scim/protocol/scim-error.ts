/** The error types of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers';

/** A rejected SCIM request, with a message for the administrator of the client. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;

  constructor(status: number, detail: string, scimType: ScimType | null = null) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}
