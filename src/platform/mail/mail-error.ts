import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import { describeConnectionError } from '../connection-error.ts';

/**
 * Why the mail server rejected a mail, for administrators. Its own message is in the cause, for the log: it contains
 * addresses.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** Whether retrying is pointless. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isFinal = isFinal;
  }
}

/** A mail server may respond with a megabyte. */
const maxWords = 500;

/** Maps the errors of Nodemailer and of Node to this class. */
export function explainMailFailure(error: unknown): MailError {
  const { code, originalCode, response, responseCode } = mailFacts(error);
  const isFinal = typeof responseCode === 'number' && responseCode >= 500;
  const cause = new Error(messageOf(error).slice(0, maxWords));
  const status = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(String(response))?.[0].replace('-', ' ');
  return new MailError(`${wordsOf(code, originalCode)}${status ? ` (${status})` : ''}.`, { isFinal, cause });
}

interface MailFacts {
  readonly code?: unknown;
  /** Node's own code, where Nodemailer has put another in its place. */
  readonly originalCode?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

const mailFacts = (error: unknown): MailFacts => errorFacts(error);

function wordsOf(code: unknown, originalCode: unknown): string {
  const trouble = describeConnectionError(originalCode) ?? describeConnectionError(code);
  if (trouble !== null) return `The mail server cannot be reached: ${trouble}`;
  return words[String(code)] ?? 'The mail server did not take the message';
}

const words: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'The mail server took too long to answer',
  ETLS: 'The mail server offers no connection by TLS that works',
  EDNS: 'The mail server cannot be reached: its name cannot be looked up',
  ECONNECTION: 'The mail server closed the connection',
  ESOCKET: 'The mail server cannot be reached',
  EPROTOCOL: 'The mail server did not answer as mail servers do',
  EAUTH: 'The mail server does not accept the user name and password',
  EENVELOPE: 'The mail server refused the sender or the recipient',
  EMESSAGE: 'The mail server refused the message',
};
