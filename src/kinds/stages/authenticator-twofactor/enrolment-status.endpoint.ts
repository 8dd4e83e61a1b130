import { loadStage } from '../../../flow/executor/load-stage.ts';
import { ServiceFault } from '../../../flow/services/call-service.ts';
import { Problem } from '../../../lib/problem.ts';
import { requireActor } from '../../../resource/call.ts';
import { objectSchema, uuidSchema } from '../../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../../resource/endpoint.ts';
import { canonicalUuid, isUuid } from '../../../resource/fields/scalar.ts';
import { findActivation } from './pending-enrolment.ts';
import type { EnrolmentStatus } from './twofactor-api.ts';
import type { TwofactorNeeds } from './twofactor-enrolment.ts';
import { authAccount } from './twofactor-stage.resource.ts';

const statusSchema = objectSchema({
  twofactor_response: { type: 'string', enum: ['success', 'waiting', 'invalid'] },
});

/** Polled by the enrolment page: the activation state of the caller's own phone. */
export function enrolmentStatus({ api, key, stage: resource }: TwofactorNeeds): Endpoint {
  return defineEndpoint({
    id: 'stages_authenticator_twofactor_enrollment_status_create',
    method: 'POST',
    path: '/stages/authenticator/twofactor/{stage_uuid}/enrollment_status/',
    params: { stage_uuid: uuidSchema },
    page: { noButton: 'The enrolment page polls it.' },
    summary: 'Get the activation status of the caller’s phone',
    access: 'authenticated',
    answer: { status: 200, schema: statusSchema, schemaName: 'TwofactorDeviceEnrollmentStatus' },
    async prepare({ call, engine }): Promise<EnrolmentStatus> {
      const { stage_uuid: given = '' } = call.params;
      if (!isUuid(given)) throw new Problem('not_found');
      const stage = canonicalUuid(given);
      const enrolment = { user: requireActor(call).user.pk, stage };
      const activation = await findActivation(call.db.read, key, enrolment, call.now);
      if (!activation) return 'invalid';
      const settings = await loadStage(engine, resource, stage, call);
      const status = await api.enrolmentStatus(authAccount(settings), activation, call.now);
      // The service may recover, so keep polling.
      return status instanceof ServiceFault ? 'waiting' : status;
    },
    run: async ({ prepared }) => ({ twofactor_response: prepared }),
  });
}
