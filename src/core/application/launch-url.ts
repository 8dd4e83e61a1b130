import type { ActorUser } from '../../resource/actor.ts';

/** What a launch URL may say of the person who opens it. A closed list: a template must reach nothing else of a user. */
const members: Readonly<Record<string, (user: ActorUser) => string>> = {
  pk: (user) => String(user.pk),
  uuid: (user) => user.uuid,
  username: (user) => user.username,
  name: (user) => user.name,
  email: (user) => user.email,
  type: (user) => user.type,
};

const placeholder = /%\((\w+)\)s/g;

/** The address with `%(username)s` and the like filled in for this person; null when it leads nowhere on the web. */
export function launchUrl(template: string, user: ActorUser | null): string | null {
  const url = user ? fill(template, user) : template;
  return isWebUrl(url) ? url : null;
}

/** A template that asks for what there is not stays as it is. */
function fill(template: string, user: ActorUser): string {
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  if (!names.every((name) => Object.hasOwn(members, name))) return template;
  return template.replace(placeholder, (_, name: string) => encodeURIComponent(members[name]?.(user) ?? ''));
}

export function launchUrlComplaint(template: string): string | null {
  return isWebUrl(template.replace(placeholder, 'x')) ? null : 'Enter a valid URL.';
}

/** Nothing that a browser would run (`javascript:`, `data:`) and nothing on the reader's own machine. */
function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '';
}
