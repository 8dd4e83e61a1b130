import { type Answer, type Api, apiFor } from '../support/api.ts';
import { processToken } from '../support/gatehouse-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import type { Instance } from './place.ts';
import type { Random } from './random.ts';

export interface Report {
  /** What must not happen. */
  readonly wrongs: string[];
  /** Calls that were answered as they should be. */
  answered: number;
  /** Calls without an answer, or with 503: whether they had an effect is not known. */
  unknown: number;
  decisions: number;
  /** The database has been killed so often, or is about to be. */
  databaseKills: number;
}

/** What is known of something stored: its last acknowledged version, and those after it that may be there as well. */
interface Known {
  pk: string | null;
  acknowledged: number;
  latest: number;
  isDeleted: 'no' | 'maybe' | 'yes';
}

const password = 'a password that is typed under torture';
/** After ten the right password has to wait too. */
const maxGuesses = 5;

/** Works through any instance, on objects of their own, and knows what has to be there. */
export class Person {
  readonly #number: number;
  readonly #random: Random;
  readonly #instances: readonly Instance[];
  readonly #report: Report;
  readonly #groups = new Map<string, Known>();
  #user = 0;
  #key = '';
  #club = '';
  #count = 0;
  /** Wrong passwords since the last sign-in. */
  #guesses = 0;
  /** Null while it is not known. */
  #isActive: boolean | null = true;
  #isMember: boolean | null = false;

  constructor(number: number, random: Random, instances: readonly Instance[], report: Report) {
    this.#number = number;
    this.#random = random;
    this.#instances = instances;
    this.#report = report;
  }

  #at(token: string): Api {
    const from = `10.${this.#random.below(256)}.${this.#random.below(256)}.${this.#random.below(256)}`;
    const headers = { 'x-forwarded-for': from, ...(token && { authorization: `Bearer ${token}` }) };
    return apiFor(this.#random.oneOf(this.#instances).url, headers);
  }

  /** The answer, or null when it is not known whether there was an effect. */
  async #call(what: string, expected: readonly number[], send: (api: Api) => Promise<Answer>): Promise<Answer | null> {
    const answer = await send(this.#at(processToken)).catch(() => null);
    if (!answer || answer.status === 503) {
      this.#report.unknown += 1;
      return null;
    }
    if (expected.includes(answer.status)) this.#report.answered += 1;
    else this.#report.wrongs.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer;
  }

  /** Before anything fails. */
  async prepare(): Promise<void> {
    const name = `person-${this.#number}`;
    const admin = this.#at(processToken);
    this.#user = (await admin.post('/core/users/', { username: name, name })).body.pk;
    await admin.post(`/core/users/${this.#user}/set_password/`, { password });
    await admin.post('/core/tokens/', { identifier: name, intent: 'api', user: this.#user, expiring: false });
    this.#key = (await admin.get(`/core/tokens/${name}/view_key/`)).body.key;
    this.#club = (await admin.post('/core/groups/', { name: `club-${this.#number}` })).body.pk;
    const app = await admin.post('/core/applications/', { name: `app-${this.#number}`, slug: `app-${this.#number}` });
    const binding = { target: app.body.pk, group: this.#club, order: 0 };
    const bound = await admin.post('/policies/bindings/', binding);
    if (bound.status !== 201 || !this.#key) throw new Error(`a person could not be prepared: ${bound.text}`);
  }

  async act(): Promise<void> {
    const dice = this.#random.below(100);
    if (dice < 25) await this.#create();
    else if (dice < 50) await this.#change();
    else if (dice < 55) await this.#remove();
    else if (dice < 70) await this.#find();
    else if (dice < 80) await this.#toggleActive();
    else if (dice < 94) await this.#toggleMember();
    else if (dice < 95) await this.#readLong();
    else if (dice < 98) await this.#signIn();
    else await this.#signInWrongly();
  }

  async #create(): Promise<void> {
    const name = `group-${this.#number}-${++this.#count}`;
    const attributes = { version: 0 };
    const answer = await this.#call('creating', [201], (api) => api.post('/core/groups/', { name, attributes }));
    const known: Known = { pk: null, acknowledged: answer ? 0 : -1, latest: 0, isDeleted: 'no' };
    if (answer?.status === 201) known.pk = answer.body.pk;
    this.#groups.set(name, known);
  }

  #own(): [string, Known] | null {
    const alive = [...this.#groups].filter(([, { pk, isDeleted }]) => pk && isDeleted === 'no').slice(-50);
    return alive.length > 0 ? this.#random.oneOf(alive) : null;
  }

  async #change(): Promise<void> {
    const [, known] = this.#own() ?? [];
    if (!known) return;
    const version = ++known.latest;
    const answer = await this.#call('changing', [200], (api) =>
      api.patch(`/core/groups/${known.pk}/`, { attributes: { version } }),
    );
    if (answer?.status === 200) known.acknowledged = version;
  }

  async #remove(): Promise<void> {
    const [, known] = this.#own() ?? [];
    if (!known) return;
    known.isDeleted = 'maybe';
    const answer = await this.#call('deleting', [204], (api) => api.delete(`/core/groups/${known.pk}/`));
    if (answer?.status === 204) known.isDeleted = 'yes';
  }

  async #find(): Promise<void> {
    const [name] = this.#own() ?? [];
    if (!name) return;
    // A search and another order are read out of the way of others on SQLite.
    const question = this.#random.oneOf([
      `name=${name}`,
      `name=${name}&ordering=-name`,
      `search=${name}&page_size=1000`,
    ]);
    const answer = await this.#call('listing', [200], (api) => api.get(`/core/groups/?${question}`));
    if (answer) this.#judge(name, answer.body.results?.filter((group: { name: string }) => group.name === name) ?? []);
  }

  async #readLong(): Promise<void> {
    await this.#call('reading long', [200], (api) => api.get('/events/events/?ordering=client_ip&page_size=20'));
  }

  /** Whether what is there is what was acknowledged, or what may have come after it. */
  #judge(name: string, found: readonly { attributes: { version: number } }[]): void {
    const { acknowledged, latest, isDeleted } = this.#groups.get(name) as Known;
    this.#report.decisions += 1;
    const version = found[0]?.attributes.version;
    if (found.length > 1) this.#report.wrongs.push(`${name} is there ${found.length} times`);
    else if (version === undefined) {
      if (acknowledged >= 0 && isDeleted === 'no') this.#report.wrongs.push(`${name} was acknowledged and is gone`);
    } else if (isDeleted === 'yes') this.#report.wrongs.push(`${name} was deleted and is there`);
    else if (version < acknowledged || version > latest) {
      this.#report.wrongs.push(`${name} has version ${version}, acknowledged ${acknowledged} of ${latest}`);
    }
  }

  /** An account that is switched off is refused at once, everywhere. */
  async #toggleActive(): Promise<void> {
    const is_active = this.#isActive !== true;
    this.#isActive = null;
    const answer = await this.#call('switching an account', [200], (api) =>
      api.patch(`/core/users/${this.#user}/`, { is_active }),
    );
    if (answer?.status !== 200) return;
    this.#isActive = is_active;
    for (let turn = 0; turn < 3; turn++) {
      const asked = await this.#at(this.#key)
        .get('/core/users/me/')
        .catch(() => null);
      if (!asked || asked.status === 503) continue;
      this.#report.decisions += 1;
      if (asked.status !== (is_active ? 200 : 403)) {
        this.#report.wrongs.push(`an account that is ${is_active ? 'active' : 'not active'} got ${asked.status}`);
      }
    }
  }

  /** Whoever joins a group may use its application at once, everywhere; whoever leaves it may not. */
  async #toggleMember(): Promise<void> {
    if (this.#isMember === null || this.#random.below(3) === 0) {
      const isMember = this.#isMember !== true;
      this.#isMember = null;
      const verb = isMember ? 'add_user' : 'remove_user';
      const answer = await this.#call(verb, [204], (api) =>
        api.post(`/core/groups/${this.#club}/${verb}/`, { pk: this.#user }),
      );
      if (answer?.status !== 204) return;
      this.#isMember = isMember;
    }
    if (this.#isActive !== true) return;
    const answer = await this.#call('checking access', [200], (api) =>
      api.get(`/core/applications/app-${this.#number}/check_access/?for_user=${this.#user}`),
    );
    if (!answer) return;
    this.#report.decisions += 1;
    if (answer.body.passing !== this.#isMember) {
      this.#report.wrongs.push(`access is ${answer.body.passing} and membership ${this.#isMember}`);
    }
  }

  async #signIn(): Promise<void> {
    if (this.#isActive !== true) return;
    // Where a user is in a flow need not survive the database: then they start over.
    const kills = this.#report.databaseKills;
    const { status, isKnown, answers } = await this.#tryToSignIn(password);
    if (!isKnown || kills !== this.#report.databaseKills) return;
    this.#report.decisions += 1;
    if (status === 200) this.#guesses = 0;
    else this.#report.wrongs.push(['a sign-in failed:', ...answers].join('\n  '));
  }

  async #signInWrongly(): Promise<void> {
    if (this.#guesses === maxGuesses) return;
    this.#guesses += 1;
    const { status } = await this.#tryToSignIn(`not ${password}`);
    this.#report.decisions += 1;
    if (status === 200) this.#report.wrongs.push('a wrong password signed in');
  }

  /** Which status they get as themselves afterwards; null if there was no answer on the way. */
  async #tryToSignIn(password: string) {
    const from = { 'x-forwarded-for': `10.1.${this.#number}.${this.#random.below(256)}` };
    let isKnown = true;
    const answers: string[] = [];
    const ask = async (path: string, init: { headers: Record<string, string> }) => {
      const { url } = this.#random.oneOf(this.#instances);
      const headers = { ...init.headers, ...from };
      const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init, headers });
      if (response.status === 503) isKnown = false;
      answers.push(`${response.status} ${(await response.clone().text()).slice(0, 300)}`);
      return response;
    };
    try {
      const { cookie } = await signInByPassword(ask, `person-${this.#number}`, password);
      const { status } = await ask('/api/v3/core/users/me/', { headers: { cookie } });
      return { status, isKnown, answers };
    } catch {
      this.#report.unknown += 1;
      return { status: null, isKnown: false, answers };
    }
  }

  /** When nothing fails any more. */
  async verify(): Promise<void> {
    await this.#verifyOrder();
    for (const name of this.#groups.keys()) {
      const { status, body } = await this.#at(processToken).get(`/core/groups/?name=${name}`);
      if (status === 200) this.#judge(name, body.results);
      else this.#report.wrongs.push(`reading ${name} at the end: ${status}`);
      if (body.results?.length === 1) await this.#verifyEvent(name, body.results[0].pk);
    }
  }

  /** Each change has its event, in the same transaction. */
  async #verifyEvent(name: string, pk: string): Promise<void> {
    const { body } = await this.#at(processToken).get(
      `/events/events/?action=model_created&context_model_name=group&context_model_pk=${pk}`,
    );
    const { count } = body.pagination;
    if (count !== 1) this.#report.wrongs.push(`${name} has ${count} events of its creation`);
  }

  /** PostgreSQL keeps the order by the last sign-in in a table of its own. */
  async #verifyOrder(): Promise<void> {
    const { body } = await this.#at(processToken).get('/core/users/?ordering=-last_login&page_size=1000');
    const listed: { username: string; last_login: string | null }[] = body.results;
    const logins = listed.flatMap(({ last_login }) => last_login ?? []);
    if (String(logins) !== String(logins.toSorted().reverse()))
      this.#report.wrongs.push(`users are not in the order of their last sign-in: ${logins}`);
    if (listed.filter(({ username }) => username === `person-${this.#number}`).length !== 1)
      this.#report.wrongs.push(`person-${this.#number} is not in the list by last sign-in once`);
  }
}
