import { OutboundError } from '../fetch/outbound-error.ts';
import { PermanentFailure } from '../jobs/job.ts';
import { NoMailServer } from './mailer.ts';

/** What a job that could not send a mail throws: a permanent failure if retrying is pointless. */
export const mailFailure = (error: unknown): unknown =>
  error instanceof Error && isFinal(error) ? new PermanentFailure(error.message) : error;

/** No such server, a forbidden address, or a permanent rejection. */
function isFinal(error: Error & { readonly responseCode?: unknown }): boolean {
  if (error instanceof NoMailServer) return true;
  if (error instanceof OutboundError) return error.reason === 'blocked';
  return typeof error.responseCode === 'number' && error.responseCode >= 500;
}
