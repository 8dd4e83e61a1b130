import { isObject } from '../../api/is-object.ts';
import type { EventFacets } from '../../api/types.ts';
export type FacetValue = EventFacets['actions'][number];

/** The members of what an event holds: programs may record any JSON. */
export const factsIn = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** The username in events of requests without a session. */
export const anonymousName = 'AnonymousUser';

/** The filters that the address and the API share. */
export const filterNames = [
  ...(['search', 'action', 'username', 'client_ip', 'context_authorized_app'] as const),
  ...(['context_model_app', 'context_model_name', 'context_model_pk', 'brand_name'] as const),
];

export const periods = { day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days', year: 'Last year' } as const;
export type Period = keyof typeof periods;
const hourMs = 3_600_000;
const hoursOf: Readonly<Record<Period, number>> = { day: 24, week: 168, month: 720, year: 8784 };

const isPeriod = (text: string | null): text is Period => text !== null && Object.hasOwn(periods, text);

export const periodOf = (query: URLSearchParams): Period => {
  const text = query.get('period');
  return isPeriod(text) ? text : 'week';
};

/** The query of the API for an address. Times are whole hours, so it stays stable for a while. */
export function questionOf(query: URLSearchParams): URLSearchParams {
  const question = new URLSearchParams();
  for (const name of filterNames) {
    const value = query.get(name);
    if (value) question.set(name, value);
  }
  const thisHour = Math.ceil(Date.now() / hourMs) * hourMs;
  const from = query.get('from') ?? new Date(thisHour - hoursOf[periodOf(query)] * hourMs).toISOString();
  question.set('created__gte', from);
  const to = query.get('to');
  if (to) question.set('created__lt', to);
  return question;
}
