/** One address for each host of `postgres://user:password@first:5432,second/database`, as libpq takes them too. */
export function addressesOf(url: string): string[] {
  const parts = /^(?<start>\w+:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<end>.*)$/s.exec(url)?.groups;
  const { start = '', hosts = '', end = '' } = parts ?? {};
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${end}`) : [url];
}
