import { message, type UserMessage, verbatim, type Words } from '../lib/texts/message.ts';
/** Why a login at a source failed, for the user. */
export class SourceRefusal extends Error {
  /** The same as `message`, which is English. */
  readonly words: UserMessage;
  readonly status: number;
  /** What the administrator has to correct; recorded as an event. */
  readonly misconfiguration: string | null;

  constructor(
    words: Words,
    { status = 400, misconfiguration = null }: { status?: number; misconfiguration?: string | null } = {},
  ) {
    super(String(words));
    this.words = verbatim(words);
    this.status = status;
    this.misconfiguration = misconfiguration;
  }
}

/** The source is misconfigured. The user gets a short message, the administrator an event with the reason. */
export const misconfigured = (why: string): SourceRefusal =>
  new SourceRefusal(message('This source is not set up correctly. {why} Please tell your administrator.', { why }), {
    misconfiguration: why,
  });
