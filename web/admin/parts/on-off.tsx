import { t } from '../../texts/texts.ts';

/** The state of what can be switched off. */
export const OnOff = ({ isOn }: { isOn: boolean }) => (
  <span className={isOn ? 'tag tag-good' : 'tag'}>{t(isOn ? 'On' : 'Off')}</span>
);
