import { downloadFile } from '../../api/download.ts';
import { Button } from '../../elements/button.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';
import { ActionDialog, closeDialog } from '../parts/action-dialog.tsx';

const dialog = 'backup';

export const BackupButton = () => <Button onClick={() => goTo(hereWith({ dialog }))}>{t('Back up now…')}</Button>;

/** Downloads a backup, once its reader knows what it contains. */
export function BackupDialog({ onDone }: { onDone(): Promise<void> }) {
  const showToast = useToast();
  return (
    <ActionDialog
      name={dialog}
      title={t('Back up now')}
      confirm={t('Download the backup')}
      act={async () => {
        await downloadFile('/admin/backup/', 'POST');
        closeDialog();
        showToast(t('The backup is downloaded.'));
        await onDone();
      }}
    >
      <p>
        {t(
          'The file contains everything as it is at this moment, with all secrets, and the key that opens them unless it comes from the environment. Keep it as you keep passwords.',
        )}
      </p>
    </ActionDialog>
  );
}
