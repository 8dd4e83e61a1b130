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
  const model = member(context, 'model');
  const authorized = member(context, 'authorized_application');
  // Of refusals: what somebody was kept from.
  const application = member(context, 'application');
  const userPk = member(user, 'pk');
  const columns = {
    username: text(member(user, 'username')) ?? '',
    subject: text(member(context, 'username')),
    model_app: text(member(model, 'app')),
    model_name: text(member(model, 'model_name')),
    model_pk: keyText(text(member(model, 'pk'))),
    authorized_app: keyText(text(member(authorized, 'pk'))),
    brand_name: text(member(brand, 'name')),
  };
  const words = [
    ...Object.values(columns),
    text(member(user, 'email')),
    action,
    app,
    client_ip,
    text(member(model, 'name')),
    text(member(authorized, 'name')),
    keyText(text(member(application, 'pk'))),
    text(member(application, 'name')),
    text(member(context, 'message')),
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

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Indexed columns are limited in length, and an overlong typed name must not prevent its event. */
const maxLength = 255;
export const clipped = (text: string): string => text.slice(0, maxLength);

const text = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? clipped(String(value)).toWellFormed() : null;
