import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';

/** Words for the person whose browser came. */
export class ErrorPage extends Error {
  readonly status: number;
  /** What went wrong inside; for the log. */
  readonly fault: unknown;
  constructor(message: string, { status = 400, fault = null }: { status?: number; fault?: unknown } = {}) {
    super(message);
    this.status = status;
    this.fault = fault;
  }
}

/** Shows refusals as pages. */
export async function withPages(call: Call, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ErrorPage)) throw error;
    const { status, fault, message } = error;
    const paragraphs = [message, `Request id: ${call.request.id}`];
    const page = plainPage({
      status,
      ...(await frameAtApplication(call)),
      title: 'This sign-in cannot continue',
      paragraphs,
    });
    return { ...page, fault };
  }
}
