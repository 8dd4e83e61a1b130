/** What the steps of a flow need on its page beyond our own origin. */
export interface PageNeeds {
  /** Origins of scripts, including their frames and styles. */
  readonly services?: readonly string[];
  /** Origins that the page's own scripts call. */
  readonly connections?: readonly string[];
  /** Whether forms may post to other servers. */
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

/** An address's origin for a content security policy; empty if it has no web origin. */
export function originsOf(address: string | null): string[] {
  const url = address === null ? null : URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
}
