const key = 'gatehouse-api-token';

/** The token lives as long as the tab. */
export const readToken = () => sessionStorage.getItem(key) ?? '';

export function keepToken(token) {
  if (token) sessionStorage.setItem(key, token);
  else sessionStorage.removeItem(key);
}

/** What proves who asks: the token, else the proof that goes with a browser's session. */
export function credentials(method) {
  const token = readToken();
  if (token) return { authorization: `Bearer ${token}` };
  const proof = /(?:^|;\s*)(?:__Host-)?gatehouse_csrf=([^;]+)/.exec(document.cookie)?.[1];
  return proof && method !== 'get' ? { 'x-gatehouse-csrf': decodeURIComponent(proof) } : {};
}

/** Says whose token it is. */
export async function whoAsks(base) {
  const response = await fetch(`${base}/core/users/me/`, {
    headers: { accept: 'application/json', ...credentials('get') },
  });
  if (!response.ok) return { isKnown: false, name: '' };
  const { user } = await response.json();
  return { isKnown: true, name: user.username };
}
