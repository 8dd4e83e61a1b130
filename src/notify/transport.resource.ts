import type { Log } from '../platform/log.ts';
import { defineResource } from '../resource/define.ts';
import { stringSchema } from '../resource/document/json-schema.ts';
import { ref } from '../resource/fields/ref.ts';
import { boolean } from '../resource/fields/scalar.ts';
import { choice, text } from '../resource/fields/text.ts';
import type { Resource } from '../resource/resource.ts';
import { eventDestinations } from './event-destinations.ts';
import { testTransport } from './test-transport.ts';
import type { TransportKind } from './transport-kind.ts';

const destinations = eventDestinations('mode', 'webhook_url');

/** How notifications are sent. */
export const transportResource = (transports: readonly TransportKind[], log: Log): Resource =>
  defineResource({
    path: '/events/transports/',
    param: 'uuid',
    key: 'uuid',
    model: 'svc_events.notificationtransport',
    schema: 'NotificationTransport',
    names: ['Notification Transport', 'Notification Transports'],
    table: 'notification_transports',
    order: ['name'],
    search: ['name', 'mode', 'webhook_url'],
    fields: {
      name: text({
        unique: 'Notification Transport with this name already exists.',
        filter: true,
        help: 'The name of the transport; unique.',
        isObvious: true,
      }),
      mode: choice(
        transports.map(({ mode }) => mode),
        {
          default: 'local',
          filter: true,
          labels: { webhook_slack: 'Webhook (Slack)' },
          help: 'How notifications go out: shown in the interface, by mail, or to a webhook.',
        },
      ),
      webhook_url: text({ blank: true, default: '', filter: true, format: 'uri', help: 'Where a webhook is called.' }),
      webhook_mapping: ref('svc_events.notificationwebhookmapping', 'uuid', {
        nullable: true,
        needs: 'use',
        help: 'The expression that creates the body of a webhook; the default body if empty.',
      }),
      send_once: boolean({
        default: false,
        filter: true,
        help: 'Send one message for the whole group, as fits a chat channel.',
      }),
    },
    derived: {
      mode_verbose: { schema: stringSchema, from: (row) => transports.find(({ mode }) => mode === row.mode)?.name },
    },
    rightsOf: destinations.rightsOf,
    check(input) {
      destinations.check(input);
      const { values } = input;
      const needsUrl = values.mode === 'webhook' || values.mode === 'webhook_slack';
      return needsUrl && !values.webhook_url ? { webhook_url: ['Webhook URL may not be empty.'] } : null;
    },
    actions: [testTransport(transports, log)],
  });
