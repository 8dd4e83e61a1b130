import { get } from 'node:http';

/** A GET that says it came for this host; fetch would not let us. */
export function getForHost(
  url: string,
  host: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { host }, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    request.on('error', reject);
  });
}
