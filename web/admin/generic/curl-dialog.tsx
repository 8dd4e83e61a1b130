import { Code } from '../../elements/code.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';

interface Props {
  readonly method: string;
  readonly path: string;
  readonly body: Row;
  readonly members: readonly Member[];
  onClose(): void;
}

/** The form as a curl command, for scripts. */
export function CurlDialog({ method, path, body, members, onClose }: Props) {
  const command = curlOf(method, path, withoutSecrets(body, members));
  return (
    <Dialog title={t('As a command')} onClose={onClose} isWide>
      <p>
        <Rich
          text="The token is one of your <a>API tokens</a>. Secrets are left out."
          values={{ a: (words) => <a href="/if/user/tokens/">{words}</a> }}
        />
      </p>
      <Code text={command} />
      <DialogButtons leave={t('Close')} onLeave={onClose}>
        <CopyButton text={command} />
      </DialogButtons>
    </Dialog>
  );
}

const withoutSecrets = (body: Row, members: readonly Member[]): Row => {
  const secrets = new Set(members.filter(({ note }) => note.kind === 'secret').map(({ name }) => name));
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? '…' : value]));
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf(method: string, path: string, body: Row): string {
  return [
    `curl --request ${method} ${quoted(`${location.origin}/api/v3${path}`)}`,
    '--header "Authorization: Bearer $GATEHOUSE_TOKEN"',
    `--header ${quoted('Content-Type: application/json')}`,
    `--data ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}
