/** Something that the user can configure: a source to connect to, or a stage with a configuration flow. */
export interface UserSetting {
  readonly object_uid: string;
  readonly component: string;
  readonly title: string;
  readonly configure_url: string;
  readonly icon_url: string;
}
