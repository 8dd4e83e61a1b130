import { expect } from 'vitest';
import type { Browser } from '../../support/flow-client.ts';
import { asForm, fieldsOf } from '../../support/relying-party.ts';
import { signIn } from './person.ts';
import { type Answered, answered, type Completed, formOf, type Params, type SuiteClient } from './suite-client.ts';

export const goodbye = 'https://app.example/goodbye';
export const strict = (url: string) => [{ matching_mode: 'strict', url }];

/** A user who has signed in to the client, and may be signed out by it. */
export interface Stay {
  readonly done: Completed;
  /** Sends the browser to the end-session endpoint. */
  leave(params?: Params): Promise<Answered>;
  /** Presses the button on the page that asks. */
  confirm(page: Answered): Promise<Answered>;
  isSignedIn(): Promise<boolean>;
}

export async function stay({ server, metadata, complete, ask }: SuiteClient): Promise<Stay> {
  const browser = await signIn(server);
  const done = await complete({}, browser);
  const path = new URL(metadata.end_session_endpoint as string).pathname;
  return {
    done,
    leave: async (params = {}) => answered(await browser.get(`${path}?${formOf(params)}`), params),
    async confirm(page) {
      expect([page.status, page.location]).toEqual([200, null]);
      return answered(await sendForm(server.url, browser, path, fieldsOf(page.text)), page.sent);
    },
    async isSignedIn() {
      const { told } = await ask({ prompt: 'none' }, browser);
      const error = told.get('error');
      expect(error).toBeOneOf([null, 'login_required']);
      return error === null;
    },
  };
}

async function sendForm(origin: string, { cookies }: Browser, path: string, fields: Record<string, string>) {
  const { headers, ...form } = asForm(fields);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const sent = { ...form, headers: { ...(headers as Record<string, string>), cookie }, redirect: 'manual' } as const;
  const response = await fetch(`${origin}${path}`, sent);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
