import { useState } from 'react';
import { isObject } from '../../api/is-object.ts';
import type { Event } from '../../api/types.ts';
import { ExactMoment } from '../../elements/moment.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { ActionIcon } from '../icons/action-icon.tsx';
import { Face } from '../icons/face.tsx';
import { actionName } from '../labels.ts';
import { Link } from '../link.tsx';
import { ChangesTable } from './changes-table.tsx';
import { ClientAddress } from './client-address.tsx';
import { ContextTable } from './context-table.tsx';
import { anonymousName, factsIn } from './event.ts';
import { RequestLine } from './request-line.tsx';
import { MakeRule } from './rule-dialog.tsx';

/** One event as a sentence with expandable details. */
export function EventRow({ event, isNew }: { event: Event; isNew: boolean }) {
  const { action, client_ip, created, sentence } = event;
  const { username = '' } = factsIn(event.user);
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="event" data-new={isNew || undefined}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {username && username !== anonymousName ? <Face name={String(username)} /> : <ActionIcon action={action} />}
          <span className="event-sentence">{sentence}</span>
          <span className="event-facts quiet small">
            <span className={toneOf(action)}>
              <ActionIcon action={action} />
              {actionName(action)}
            </span>
            {client_ip && <ClientAddress address={client_ip} />}
            <ExactMoment at={created} />
          </span>
        </summary>
        {isOpen && <Inside event={event} />}
      </details>
    </li>
  );
}

function toneOf(action: string): string {
  if (/exception|error|suspicious/.test(action)) return 'tag tag-alert';
  return /failed|deleted|policy_execution/.test(action) ? 'tag tag-warning' : 'tag';
}

function Inside({ event }: { event: Event }) {
  const context = factsIn(event.context);
  const { diff, http_request } = context;
  return (
    <div className="event-inside">
      {isObject(diff) && Object.keys(diff).length > 0 && <ChangesTable diff={diff} />}
      <ContextTable context={context} />
      <RequestLine request={http_request} />
      <div className="row">
        <Link className="button" href={hrefOf(`/events/events/${event.pk}/`)}>
          {t('Open the event')}
        </Link>
        <MakeRule event={event} />
      </div>
    </div>
  );
}
