/** What a flow's page needs beyond our own origin, where a step of the flow calls for it. */
export interface PageNeeds {
  /** Origins of scripts, with their frames and styles. */
  readonly services?: readonly string[];
  /** Origins that the page's own scripts call. */
  readonly connections?: readonly string[];
  /** Whether forms may be sent to other servers. */
  readonly forms?: boolean;
  /** Values for the page's scripts, as `data-` attributes: `mediaApi` becomes `data-media-api`. */
  readonly data?: Readonly<Record<string, string>>;
}

export const mergedNeeds = (all: readonly PageNeeds[]): Required<PageNeeds> => ({
  services: [...new Set(all.flatMap(({ services = [] }) => services))],
  connections: [...new Set(all.flatMap(({ connections = [] }) => connections))],
  forms: all.some(({ forms }) => forms === true),
  data: Object.assign({}, ...all.map(({ data }) => data)),
});

/** The origin of an address, as a content security policy can name it; none for an address that has no web origin. */
export function originsOf(address: string | null): string[] {
  const url = address === null ? null : URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
}
