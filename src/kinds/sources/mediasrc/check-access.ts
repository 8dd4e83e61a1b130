import { type MediaAccount, type MediaAccountApi, MediaServerFailed } from './media-account-api.ts';

/** Whom a source lets in. */
export type MediaSourceRules = {
  readonly plex_token: string;
  /** Empty: members of every server. */
  readonly allowed_servers: readonly string[];
  readonly allow_friends: boolean;
};

/** Who presents the token, and whether the source's rules let them in. Throws `MediaServerFailed`. */
export async function checkMediaServerAccess(
  api: MediaAccountApi,
  rules: MediaSourceRules,
  token: string,
): Promise<{ readonly account: MediaAccount; readonly mayEnter: boolean }> {
  const [account, servers] = await Promise.all([api.account(token), api.serverIds(token)]);
  const isMember = rules.allowed_servers.length === 0 || rules.allowed_servers.some((server) => servers.has(server));
  return {
    account,
    mayEnter: isMember || (rules.allow_friends && (await isFriend(api, rules.plex_token, account.id))),
  };
}

/** Whether the account is the source's owner or a friend of theirs, as reported by the media server. */
async function isFriend(api: MediaAccountApi, ownersToken: string, id: string): Promise<boolean> {
  try {
    const [owner, friends] = await Promise.all([api.account(ownersToken), api.friendIds(ownersToken)]);
    return owner.id === id || friends.has(id);
  } catch (error) {
    // The caller's token is fine: what the media server refuses is the administrator's.
    if (error instanceof MediaServerFailed && error.refusedToken) {
      throw new MediaServerFailed('The media server refuses the token of the source.');
    }
    throw error;
  }
}
