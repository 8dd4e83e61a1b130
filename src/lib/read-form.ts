import { occursMoreOften } from './occurs-more-often.ts';

/** More than any of our forms has. */
const maxMembers = 1_000;

/**
 * The fields of a form; none if there are too many: Node would parse a million names without values for many seconds
 * and block the event loop (denial of service).
 */
export const readForm = (body: Buffer): URLSearchParams =>
  new URLSearchParams(occursMoreOften(body, '&', maxMembers - 1) ? '' : body.toString('utf8'));
