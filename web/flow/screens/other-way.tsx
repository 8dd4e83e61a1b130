import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import type { ValidateProps } from './device-classes.ts';

/** The way back to the other devices, if any. */
export function OtherWay({ onOther }: Pick<ValidateProps, 'onOther'>) {
  if (!onOther) return null;
  return (
    <Button look="quiet" onClick={onOther}>
      {t('Use another method')}
    </Button>
  );
}
