import { useBrand } from './mount-page.tsx';

/** Where the flow of the brand that signs people out begins. */
export function useSignOutPath(): string {
  const { flow_invalidation = 'default-invalidation-flow' } = useBrand();
  return `/if/flow/${encodeURIComponent(flow_invalidation)}/`;
}
