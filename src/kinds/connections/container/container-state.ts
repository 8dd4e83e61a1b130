import { type FetchState, unreachable } from '../../../core/outpost/connection-kind.ts';
import { fetchVersion, type OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { findEngine } from './engine-address.ts';

/** Asks the Docker API for its version. */
export const fetchContainerState =
  (open: OpenFetch): FetchState =>
  async (pk, call) => {
    const engine = await findEngine(pk, call);
    if (!engine) return unreachable;
    return fetchVersion(open, { url: `${engine.base}version`, member: 'Version', over: engine.over });
  };
