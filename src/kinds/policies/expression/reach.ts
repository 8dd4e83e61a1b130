/** Members of the context that hold nothing that anybody typed, was sent or has to keep to themselves, and are alike for many. */
const open: ReadonlySet<string> = new Set(['auth_method', 'is_sso', 'is_restored', 'show_matched_user']);

/** All else that an expression is given by a name (`globalsOf`), and ways to come to a name without writing it. */
const anythingElse = /request|user|client_ip|geoip|asn|is_sso|settings|create_event|this|\\/i;
const mention = /context/g;
const member = /(?<![\w$.])context\??\.(\w+)/g;

/**
 * The members of the context that an expression reads, where these are open and all that it can read; null where it may read
 * more. What comes of it then is the same for everybody who stands at the same point.
 */
export function openMembersRead(source: string): string[] | null {
  if (anythingElse.test(source.replace(member, ''))) return null;
  const members = [...source.matchAll(member)].map(([, name]) => name as string);
  const isEach = members.length === [...source.matchAll(mention)].length;
  return isEach && members.every((name) => open.has(name)) ? [...new Set(members)] : null;
}
