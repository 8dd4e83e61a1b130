export interface PemBlock {
  readonly label: string;
  /**
   * Null if the text between the lines is not plain base64: damaged, or encrypted in the legacy format with headers.
   */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

const boundary = /^-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The blocks of a text in order (RFC 7468). Skips text around them and unterminated blocks. */
export function readPem(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { label: string; lines: string[] } | null = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, kind, label] = boundary.exec(line.trim()) ?? [];
    if (kind === 'BEGIN' && label) {
      open = { label, lines: [] };
    } else if (kind === 'END') {
      if (open && open.label === label) blocks.push({ label: open.label, bytes: decode(open.lines.join('')) });
      open = null;
    } else {
      open?.lines.push(line.trim());
    }
  }
  return blocks;
}

export function writePem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function decode(text: string): Uint8Array<ArrayBuffer> | null {
  return text !== '' && base64.test(text) ? Uint8Array.from(Buffer.from(text, 'base64')) : null;
}
