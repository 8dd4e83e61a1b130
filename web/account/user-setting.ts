import type { UserSettings } from '../api/types.ts';
/** Something that the user can configure: a source to connect to, or a stage with a configuration flow. */
export type UserSetting = UserSettings[number];
