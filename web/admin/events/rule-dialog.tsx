import { useEffect, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { isObject } from '../../api/is-object.ts';
import type { AdminInterface, Event, NotificationTransport, PaginatedGroupList } from '../../api/types.ts';
import { SelectField } from '../../elements/choice.tsx';
import { TextField } from '../../elements/field.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { actionName } from '../labels.ts';
import { Link } from '../link.tsx';
import { ActionDialog, closeDialog } from '../parts/action-dialog.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';
import { ReferencesPicker } from '../widgets/references-picker.tsx';
import { factsIn } from './event.ts';

const severities = { notice: 'Notice', warning: 'Warning', alert: 'Alert' } as const;
const created = ['/events/rules/', '/policies/event_matcher/', '/policies/bindings/'];
const transportsPath = '/events/transports/';
const dialogOf = ({ pk }: Event) => `rule-${pk}`;

function useMayMakeRules(): boolean {
  const { resources } = useInterface();
  return created.every((path) => resources.find((entry) => entry.path === path)?.may.add === 'all');
}

/** Opens the dialog that makes a rule of an event, for those who may. */
export function MakeRule({ event }: { event: Event }) {
  if (!useMayMakeRules()) return null;
  return (
    <Link className="button" href={hereWith({ dialog: dialogOf(event) })}>
      {t('Create a rule from this…')}
    </Link>
  );
}

/** The dialog of the event that the address names, if it is among these. */
export function RuleDialogs({ events }: { events: readonly Event[] }) {
  const { query } = useAddress();
  const mayMake = useMayMakeRules();
  const event = events.find((one) => dialogOf(one) === query.get('dialog'));
  return mayMake && event ? <RuleDialog key={event.pk} event={event} /> : null;
}

/** What happened, and the kind of object that it happened to. */
function titleOf({ action, context }: Event, resources: AdminInterface['resources']): string {
  const { model } = factsIn(context);
  const of = isObject(model) ? `${model.app}.${model.model_name}` : '';
  const kind = resources.find((entry) => entry.model === of)?.singular;
  return kind ? `${actionName(action)}: ${kind}` : actionName(action);
}

function RuleDialog({ event }: { event: Event }) {
  const { action, pk } = event;
  const { resources } = useInterface();
  const [name, setName] = useState(() => titleOf(event, resources));
  const [group, setGroup] = useState<string | null>(null);
  const [transports, setTransports] = useState<readonly (string | number)[]>([]);
  const [webhook, setWebhook] = useState('');
  const [severity, setSeverity] = useState('notice');
  const mayAddTransports = resources.some((entry) => entry.path === transportsPath && entry.may.add === 'all');
  const done = useToast();
  useEffect(() => {
    void findAdministrators().then((found) => setGroup((chosen) => chosen ?? found));
  }, []);
  return (
    <ActionDialog
      name={dialogOf(event)}
      title={t('Create a rule from this event')}
      confirm={t('Create')}
      act={async () => {
        if (group === null) throw new Error(t('Choose a group first.'));
        await createRule({ event: pk, name, group, transports, severity }, webhook.trim());
        closeDialog();
        done(t('The rule {name} works from now on.', { name }));
      }}
    >
      <p>
        {t(
          action.startsWith('custom_')
            ? 'The rule notifies a group of all custom events. If the part of the server is one that rules can tell apart, only of those from there.'
            : 'The rule notifies a group of events with the same action. If the part of the server and the kind of object are ones that rules can tell apart, only of those.',
        )}
      </p>
      <TextField label={t('Name')} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <ReferencePicker label={t('Group')} model="svc_core.group" value={group} onChange={setGroup} />
      <ReferencesPicker
        label={t('Transports')}
        hint={t('Without any, the notifications are shown only in the web interface.')}
        model="svc_events.notificationtransport"
        value={transports}
        isNumber={false}
        onChange={setTransports}
      />
      {mayAddTransports && (
        <TextField
          label={t('Webhook address')}
          hint={t('Creates a transport that sends one message to it.')}
          type="url"
          value={webhook}
          onChange={({ currentTarget }) => setWebhook(currentTarget.value)}
        />
      )}
      <SelectField
        label={t('Severity')}
        value={severity}
        choices={Object.entries(severities).map(([value, label]) => ({ value, label: t(label) }))}
        onChange={({ currentTarget }) => setSeverity(currentTarget.value)}
      />
    </ActionDialog>
  );
}

interface RuleValues {
  readonly event: string;
  readonly name: string;
  readonly group: string;
  readonly transports: readonly (string | number)[];
  readonly severity: string;
}

/** With a transport for the webhook, if there is one; it goes again if the rule is refused. */
async function createRule(rule: RuleValues, webhook: string): Promise<void> {
  const create = (transports: RuleValues['transports']) =>
    apiFetch('POST', '/events/rules/from_event/', { ...rule, transports });
  if (webhook === '') return void (await create(rule.transports));
  const transport = await apiFetch<NotificationTransport>('POST', transportsPath, {
    ...{ name: rule.name, mode: 'webhook', webhook_url: webhook, send_once: true },
  });
  try {
    await create([...rule.transports, transport.pk]);
  } catch (problem) {
    await apiFetch('DELETE', `${transportsPath}${transport.pk}/`).catch(() => {});
    throw problem;
  }
}

/** The group that is proposed: the first one of administrators that the caller may see. */
async function findAdministrators(): Promise<string | null> {
  const query = 'is_superuser=true&ordering=name&page_size=1';
  const { results } = await apiFetch<Pick<PaginatedGroupList, 'results'>>('GET', `/core/groups/?${query}`).catch(
    () => ({ results: [] }),
  );
  return results[0]?.pk ?? null;
}
