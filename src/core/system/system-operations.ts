import type { Endpoint } from '../../resource/endpoint.ts';
import type { Settings } from '../settings/settings.ts';
import { appsEndpoint, modelsEndpoint, versionEndpoint, workersEndpoint } from './admin-facts.ts';
import { adminMetrics } from './admin-metrics.ts';
import { systemEndpoints } from './admin-system.ts';
import { rootConfig } from './root-config.ts';

export interface SystemNeeds {
  readonly version: string;
  readonly config: { readonly publicUrl: string; readonly geoip: { readonly asn: string | null } };
  readonly settings: { current(): Promise<Settings> };
}

/** Operations about the server itself. */
export function systemOperations(needs: SystemNeeds): Endpoint[] {
  return [
    rootConfig(needs),
    versionEndpoint(needs.version),
    ...systemEndpoints(needs),
    adminMetrics,
    appsEndpoint,
    modelsEndpoint,
    workersEndpoint,
  ];
}
