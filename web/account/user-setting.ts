/** Something that the person can set up: a source to connect to, or a stage that has a flow for it. */
export interface UserSetting {
  readonly object_uid: string;
  readonly component: string;
  readonly title: string;
  readonly configure_url: string;
  readonly icon_url: string;
}
