import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { cachedSettings } from '../../../core/settings/settings.ts';
import { message, type UserText } from '../../../lib/texts/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';

const stopped = 'This sign-in cannot continue';

interface PageOptions {
  readonly status?: number;
  readonly title?: UserText;
  /** What the person can do, with the links of the operator: for pages at the address of this server. */
  readonly advice?: UserText;
  readonly fault?: unknown;
}

/** Words for the person whose browser came. */
export class ErrorPage extends Error {
  readonly status: number;
  readonly words: UserText;
  readonly title: UserText;
  readonly advice: UserText | null;
  /** What went wrong inside; for the log. */
  readonly fault: unknown;
  constructor(words: UserText, { status = 400, title = stopped, advice, fault = null }: PageOptions = {}) {
    super(String(words));
    this.words = words;
    this.status = status;
    this.title = title;
    this.advice = advice ?? null;
    this.fault = fault;
  }
}

/** Shows refusals as pages. */
export async function withPages(call: Call, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ErrorPage)) throw error;
    const { status, title, advice, fault, words } = error;
    const paragraphs = [words, ...(advice ? [advice] : []), message('Request id: {id}', { id: call.request.id })];
    const page = plainPage({
      status,
      ...(await frameAtApplication(call)),
      title,
      paragraphs,
      footer: advice ? (await cachedSettings(call.db)).footer_links : [],
    });
    return { ...page, fault };
  }
}
