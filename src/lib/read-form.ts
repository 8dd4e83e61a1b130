import { occursMoreOften } from './occurs-more-often.ts';

/** More than any form has that we read. */
const maxMembers = 1_000;

/**
 * The members of a form; none if there are too many. Node takes many seconds for a million names without values, in
 * which the server answers nobody.
 */
export const readForm = (body: Buffer): URLSearchParams =>
  new URLSearchParams(occursMoreOften(body, '&', maxMembers - 1) ? '' : body.toString('utf8'));
