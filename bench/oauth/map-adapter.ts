type Payload = Record<string, unknown> & { grantId?: string; consumed?: number };

/**
 * The store of `oidc-provider` in memory. Its own forgets after a thousand entries, codes that are still to be
 * exchanged among them; this one forgets nothing, keeps no account of age, and so costs less.
 */
export function createMapAdapter() {
  const stored = new Map<string, Payload>();
  const byGrant = new Map<string, string[]>();
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`;
    return {
      async upsert(id: string, payload: Payload) {
        const key = keyOf(id);
        stored.set(key, payload);
        if (payload.grantId === undefined) return;
        const keys = byGrant.get(payload.grantId);
        if (keys) keys.push(key);
        else byGrant.set(payload.grantId, [key]);
      },
      find: async (id: string) => stored.get(keyOf(id)),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      async consume(id: string) {
        const payload = stored.get(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id: string) {
        stored.delete(keyOf(id));
      },
      async revokeByGrantId(grantId: string) {
        for (const key of byGrant.get(grantId) ?? []) stored.delete(key);
        byGrant.delete(grantId);
      },
    };
  };
}
