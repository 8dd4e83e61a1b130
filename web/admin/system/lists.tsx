import { useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { ServiceConnectionState } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { known, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { kindName, spelled } from '../labels.ts';
import { endsSoon, isOver, type TabProps } from './maintenance.ts';
import { RowList, type RowProps } from './row-list.tsx';

const tones = { successful: 'good', warning: 'warning', error: 'alert', waiting: 'plain' } as const;

/** The last run of each job; those that may be run again have a button. */
export function Jobs({ found: { jobs }, reload }: TabProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const done = useToast();
  async function run(pk: string, name: string): Promise<void> {
    setProblem(null);
    try {
      await apiFetch('POST', `/events/system_tasks/${pk}/run/`);
      await reload();
      done(t('{name} is run again.', { name }));
    } catch (caught) {
      setProblem(errorMessage(caught));
    }
  }
  if (jobs.length === 0) return <p className="empty">{t('No job has run yet.')}</p>;
  return (
    <>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <RowList
        rows={jobs.map(({ pk, name, description, status, message, finished, next_run, may_run }) => ({
          ...{ id: name, href: hrefOf(`/events/system_tasks/${pk}/`), at: finished, next: next_run },
          ...{ tag: spelled(status), tone: tones[status] },
          name: titleOf(description) || name,
          text: [description && name, message].filter(Boolean).join(' · '),
          action: may_run && (
            <Button onClick={() => void run(pk, name)}>
              {t('Run again')}
              <span className="visually-hidden"> {name}</span>
            </Button>
          ),
        }))}
      />
    </>
  );
}

/** What a job does, as its title. */
const titleOf = (description: string): string => known(description).replace(/[.。]$/, '');

type Mark = Pick<RowProps, 'tone' | 'tag'>;

function validityOf(ends: string): Mark {
  if (isOver(ends)) return { tone: 'alert', tag: t('Ended') };
  return endsSoon(ends) ? { tone: 'warning', tag: t('Ends soon') } : { tone: 'good', tag: t('Valid') };
}

export function Certificates({ found: { certificates } }: TabProps) {
  if (certificates.length === 0) return <p className="empty">{t('There are no certificates.')}</p>;
  return (
    <RowList
      rows={certificates.map(({ pk, name, ends }) => ({
        ...{ id: pk, name, href: hrefOf(`/crypto/certificatekeypairs/${pk}/`), at: ends },
        ...validityOf(ends),
      }))}
    />
  );
}

export function Tokens({ found: { tokens } }: TabProps) {
  if (tokens.length === 0) return <p className="empty">{t('No token expires soon, and none is valid forever.')}</p>;
  return (
    <RowList
      rows={tokens.map(({ identifier, username, intent, ends }) => ({
        ...{ id: identifier, name: identifier, at: ends, text: `${username} · ${spelled(intent)}` },
        href: hrefOf(`/core/tokens/${encodeURIComponent(identifier)}/`),
        ...(ends ? { tone: 'warning' as const, tag: t('Ends soon') } : { tag: t('Never ends') }),
      }))}
    />
  );
}

function reachOf(state: ServiceConnectionState | undefined): Mark {
  if (!state) return { tag: t('Not checked') };
  return state.healthy ? { tone: 'good', tag: t('Reachable') } : { tone: 'alert', tag: t('Not reachable') };
}

/** The health is checked on demand because that calls the other system. */
export function Connections({ found: { connections } }: TabProps) {
  const [states, setStates] = useState<Readonly<Record<string, ServiceConnectionState>>>({});
  async function check(pk: string): Promise<void> {
    const unreachable = { healthy: false, version: '' };
    const path = `/outposts/service_connections/all/${pk}/state/`;
    const state = await apiFetch<ServiceConnectionState>('GET', path).catch(() => unreachable);
    setStates((before) => ({ ...before, [pk]: state }));
  }
  if (connections.length === 0) return <p className="empty">{t('There are no service connections.')}</p>;
  return (
    <RowList
      rows={connections.map(({ pk, name, type, path }) => {
        const state = states[pk];
        return {
          ...{ id: pk, name, href: hrefOf(path), text: state?.version || kindName(type) },
          ...reachOf(state),
          action: (
            <Button onClick={() => void check(pk)}>
              {t('Check')}
              <span className="visually-hidden"> {name}</span>
            </Button>
          ),
        };
      })}
    />
  );
}

export function Sources({ found: { sources } }: TabProps) {
  if (sources.length === 0) return <p className="empty">{t('There are no sources.')}</p>;
  return (
    <RowList
      rows={sources.map(({ name, type, path, is_enabled }) => ({
        ...{ id: path, name, href: hrefOf(path), text: kindName(type) },
        ...(is_enabled ? { tone: 'good' as const, tag: t('On') } : { tag: t('Off') }),
      }))}
    />
  );
}
