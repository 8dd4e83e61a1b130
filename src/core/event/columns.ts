import { memberOf } from '../../lib/json.ts';

/** Indexed copies of what event lists are filtered and searched by. */
export interface EventColumns {
  readonly user_pk: number | null;
  readonly username: string;
  /** The subject if it is not the actor: the name in a sign-in attempt. */
  readonly subject: string | null;
  readonly model_app: string | null;
  readonly model_name: string | null;
  readonly model_pk: string | null;
  readonly authorized_app: string | null;
  readonly brand_name: string | null;
  readonly words: string;
}

export interface EventParts {
  readonly user: unknown;
  readonly action: string;
  readonly app: string;
  readonly context: unknown;
  readonly client_ip: string | null;
  readonly brand: unknown;
}

const int32 = 2147483647;
const maxWordsLength = 1000;

export function eventColumns({ user, action, app, context, client_ip, brand }: EventParts): EventColumns {
  const model = memberOf(context, 'model');
  const authorized = memberOf(context, 'authorized_application');
  // Of denials: the denied action.
  const application = memberOf(context, 'application');
  const userPk = memberOf(user, 'pk');
  const columns = {
    username: text(memberOf(user, 'username')) ?? '',
    subject: text(memberOf(context, 'username')),
    model_app: text(memberOf(model, 'app')),
    model_name: text(memberOf(model, 'model_name')),
    model_pk: keyText(text(memberOf(model, 'pk'))),
    authorized_app: keyText(text(memberOf(authorized, 'pk'))),
    brand_name: text(memberOf(brand, 'name')),
  };
  const words = [
    ...Object.values(columns),
    text(memberOf(user, 'email')),
    action,
    app,
    client_ip,
    text(memberOf(model, 'name')),
    text(memberOf(authorized, 'name')),
    keyText(text(memberOf(application, 'pk'))),
    text(memberOf(application, 'name')),
    text(memberOf(context, 'message')),
  ];
  const isKey = typeof userPk === 'number' && Number.isInteger(userPk) && Math.abs(userPk) <= int32;
  return {
    ...columns,
    user_pk: isKey ? userPk : null,
    words: words.filter(Boolean).join(' ').slice(0, maxWordsLength),
  };
}

/** Events store keys without dashes; callers may send dashes. */
export const keyText = <T extends string | null>(key: T) => (key === null ? null : key.replaceAll('-', ''));

/** Indexed columns are limited in length, and an overlong typed name must not prevent its event. */
const maxLength = 255;
export const clipped = (text: string): string => text.slice(0, maxLength);

const text = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? clipped(String(value)).toWellFormed() : null;
