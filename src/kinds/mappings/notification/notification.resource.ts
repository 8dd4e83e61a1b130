import { defineMapping } from '../../../core/mapping/mapping.family.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { derivedField } from '../../../resource/fields/computed.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';

const hidden = { ...derivedField(stringSchema, () => ''), writeOnly: true };

/** Makes the body of a webhook out of a notification. */
export function notificationMapping(needs: { readonly sandbox: Sandbox }): Resource {
  return defineMapping(needs, {
    path: '/propertymappings/notification/',
    model: 'svc_events.notificationwebhookmapping',
    schema: 'NotificationWebhookMapping',
    names: ['Webhook Mapping', 'Webhook Mappings'],
    component: 'xak-property-mapping-notification-form',
    description: 'Decide what a webhook sends: return the body to be sent as JSON.',
    table: 'mapping_notification',
    // The interface of this kind shows less than its siblings': neither how it is edited nor who manages it.
    fields: {
      component: hidden,
      verbose_name: hidden,
      verbose_name_plural: hidden,
      meta_model_name: hidden,
      managed: text({ nullable: true, default: null, readOnly: true, writeOnly: true }),
    },
  });
}
