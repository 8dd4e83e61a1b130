import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { DeviceKind } from '../../../flow/devices/device-kind.ts';
import type { StageKind } from '../../../flow/executor/stage-kind.ts';
import { createServiceFaultEvents } from '../../../flow/services/call-service.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { enrolmentStatus } from './enrolment-status.endpoint.ts';
import { createTwofactorApi } from './twofactor-api.ts';
import { type TwofactorNeeds, twofactorEnrolment } from './twofactor-enrolment.ts';
import { twofactorFactor } from './twofactor-factor.ts';
import { twofactorStage } from './twofactor-stage.resource.ts';

interface Dependencies {
  readonly fetch: GuardedFetch;
  readonly key: InstanceKey;
}

function serviceOf({ fetch, key }: Dependencies): TwofactorNeeds {
  const api = createTwofactorApi(fetch);
  return { api, key, stage: twofactorStage(api), faultEvent: createServiceFaultEvents() };
}

export const twofactorDevice = (needs: Dependencies): DeviceKind => twofactorFactor(serviceOf(needs));

export function twofactorSetup(needs: Dependencies): StageKind {
  const service = serviceOf(needs);
  return {
    ...twofactorEnrolment(service),
    endpoints: [enrolmentStatus(service)],
    async demo({ api }) {
      const values = { client_id: 'demo', client_secret: 'demo-secret', api_hostname: 'push.example.com' };
      await api.ensure('/stages/authenticator/twofactor/', { name: 'Demo: push' }, values);
    },
    expiring: [expired('twofactor_enrolments', 'activations of phones')],
  };
}
