import './icons.css';
import {
  Activity,
  AppWindow,
  Ban,
  CircleAlert,
  CirclePlus,
  Eye,
  FileCog,
  KeyRound,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  MailPlus,
  Pencil,
  ShieldAlert,
  Trash2,
  UserPen,
  VenetianMask,
} from 'lucide-react';

/** The first that an action contains. */
const icons: readonly (readonly [part: RegExp, icon: LucideIcon])[] = [
  [/suspicious/, ShieldAlert],
  [/failed/, Ban],
  [/exception|error/, CircleAlert],
  [/authorize_application/, AppWindow],
  [/invitation/, MailPlus],
  [/email/, Mail],
  [/impersonation/, VenetianMask],
  [/secret_view/, Eye],
  [/secret|password|token/, KeyRound],
  [/^logout/, LogOut],
  [/^login/, LogIn],
  [/user_write/, UserPen],
  [/created/, CirclePlus],
  [/updated/, Pencil],
  [/deleted/, Trash2],
  [/configuration|system_task|update/, FileCog],
];

/** The icon of an event, by its action. */
export function ActionIcon({ action }: { action: string }) {
  const Icon = icons.find(([part]) => part.test(action))?.[1] ?? Activity;
  return <Icon className="icon" aria-hidden="true" />;
}
