import { use, useEffect, useState } from 'react';
import { apiRequest, errorMessage } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import { downloadFile } from '../../api/download.ts';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import type { Action } from '../api/action.ts';
import type { Description } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import type { Row } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';
import { bodyOf, type Complaints, complaintsOf, initialValues } from './body.ts';
import { readProposals } from './proposals.ts';

export interface RunProps {
  readonly entry: ResourceEntry;
  readonly description: Description;
  readonly action: Action;
  readonly objectKey: string | null;
  /** Its name in the address. */
  readonly dialog: string;
  onDone(): Promise<void>;
}

interface Run {
  readonly values: Row;
  readonly complaints: Complaints;
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** What the action has answered, if there is something to show. */
  readonly result: { readonly value: unknown } | null;
  set(name: string, value: unknown): void;
  run(): Promise<void>;
  download(): Promise<void>;
}

const entered = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** One use of an action: what was entered, what is wrong with it, what came of it. */
export function useRun({ entry, description, action, objectKey, onDone }: RunProps, close: () => void): Run {
  const [values, setValues] = useState<Row>(() => initialValues([...action.parameters, ...action.body], null));
  const [complaints, setComplaints] = useState<Complaints>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Run['result']>(null);
  const showToast = useToast();
  const pages = use(PagesContext);

  useEffect(() => {
    let isWanted = true;
    void readProposals(action.body, pages).then((proposed) => {
      if (isWanted) setValues((before) => ({ ...proposed, ...entered(before) }));
    });
    return () => {
      isWanted = false;
    };
  }, [action.body, pages]);

  /** Does what is asked for, and shows what is wrong with it. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isBusy) return;
    const bad = complaintsOf(bodyOf([...action.parameters, ...action.body], values, {}, true));
    setComplaints(bad ?? {});
    setProblem(null);
    if (bad) return;
    setBusy(true);
    try {
      await work();
    } catch (caught) {
      if (caught instanceof ApiProblem && Object.keys(caught.fields).length > 0) setComplaints(caught.fields);
      else setProblem(errorMessage(caught));
    }
    setBusy(false);
  }

  async function send(): Promise<void> {
    const body = sentBody(action, values);
    const { value, location } = await apiRequest<unknown>(action.method, pathOf(action, objectKey, values), {
      body,
    });
    const isDone = value === undefined || action.answersObject;
    if (!isDone) setResult({ value });
    if (action.method === 'GET') return;
    if (isDone) close();
    const key = action.on === 'set' && isRow(value) ? value[description.key] : undefined;
    const made = key === undefined ? location : pathOfObject(entry, String(key));
    if (isDone && made.startsWith(entry.path)) goTo(hrefOf(made));
    else await onDone();
    if (isDone) showToast(t('Done: {action}.', { action: action.label }));
  }

  return {
    ...{ values, complaints, problem, isBusy, result },
    set: (name, value) => setValues((before) => ({ ...before, [name]: value })),
    run: () => attempt(send),
    download: () => attempt(() => downloadFile(pathOf(action, objectKey, { ...values, download: true }))),
  };
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

function pathOf({ path, parameters, file }: Action, objectKey: string | null, values: Row): string {
  const names = [...parameters.map(({ name }) => name), ...(file === 'on request' ? ['download'] : [])];
  const given = names.filter((name) => values[name] !== undefined && values[name] !== null && values[name] !== '');
  const query = new URLSearchParams(given.map((name) => [name, String(values[name])]));
  const place = path.replace('{key}', encodeURIComponent(objectKey ?? ''));
  return query.size > 0 ? `${place}?${query}` : place;
}

/** As JSON, or as a form where there is a file. Reads have none. */
function sentBody({ method, body, isUpload }: Action, values: Row): unknown {
  if (method === 'GET') return undefined;
  const sent = bodyOf(body, values, {}, true);
  if (!isUpload) return sent;
  const form = new FormData();
  for (const [name, value] of Object.entries(sent)) form.set(name, value instanceof File ? value : String(value));
  return form;
}
