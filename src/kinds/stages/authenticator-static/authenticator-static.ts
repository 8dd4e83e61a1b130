import { enrol, findEnrollee } from '../../../flow/devices/enrol.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import { ask, defineStageKind, deny, type StageKind } from '../../../flow/executor/stage-kind.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { arrayOf, stringSchema } from '../../../resource/document/json-schema.ts';
import { authenticatorStaticStage } from './authenticator-static-stage.resource.ts';
import { newStaticTokens, staticDevices, storeTokens } from './static-device.ts';

/** Shows people their recovery codes, and stores the hashes once they confirm that they have saved the codes. */
export function authenticatorStatic({ key }: { readonly key: InstanceKey }): StageKind {
  return defineStageKind({
    resource: authenticatorStaticStage,
    component: 'xak-stage-authenticator-static',
    roles: () => ['needs user', 'sets up device'],
    challenge: { ...pendingUserSchemas, codes: arrayOf(stringSchema) },
    async demo({ api }) {
      await api.ensure('/stages/authenticator/static/', { name: 'Demo: codes' }, { token_count: 10 });
    },
    async show(step) {
      const enrolling = await findEnrollee(step);
      if ('refusal' in enrolling) return deny(enrolling.refusal);
      const { memory, settings } = step;
      memory.codes ??= newStaticTokens(settings.token_count, settings.token_length);
      return ask({ ...(await pendingUserMembers(step)), codes: memory.codes });
    },
    async verifyRegistration(step) {
      const enrolling = await findEnrollee(step);
      if ('refusal' in enrolling) return deny(enrolling.refusal);
      const codes = [step.memory.codes ?? []].flat().map(String);
      return enrol(step, staticDevices, enrolling.user, { name: 'Recovery codes' }, (tx, device) =>
        storeTokens(tx, key, device, codes),
      );
    },
  });
}
