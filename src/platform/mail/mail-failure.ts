import { PermanentFailure } from '../jobs/job.ts';
import { MailError } from './mail-error.ts';

/** What a job that could not send a mail throws: a permanent failure if retrying is pointless. */
export const mailFailure = (error: unknown): unknown =>
  error instanceof MailError && error.isFinal ? new PermanentFailure(error.message, { cause: error.cause }) : error;
