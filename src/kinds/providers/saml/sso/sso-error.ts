import { statusCodes } from '../../../../lib/saml/names.ts';

const reasons = {
  denied: [statusCodes.responder, statusCodes.requestDenied],
  passive: [statusCodes.responder, statusCodes.noPassive],
  context: [statusCodes.responder, statusCodes.noAuthnContext],
  nameId: [statusCodes.requester, statusCodes.invalidNameIdPolicy],
  failed: [statusCodes.responder, statusCodes.authnFailed],
} as const;

/** A failed login, sent to the service provider as a response with this status. */
export class SsoError extends Error {
  readonly code: string;
  readonly detail: string;
  /** What went wrong inside; for the log. */
  readonly fault: unknown;
  constructor(reason: keyof typeof reasons, message: string, fault: unknown = null) {
    super(message);
    [this.code, this.detail] = reasons[reason];
    this.fault = fault;
  }
}
