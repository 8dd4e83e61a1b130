/** What a declaration says of the pages of its resource; what it leaves out follows from the fields. */
export interface PageNote {
  /** The members that a list shows, the one that names the object first. */
  readonly columns?: readonly string[];
  /** Query parameters that lists for administrators always send. */
  readonly always?: Readonly<Record<string, string>>;
  /** False for records that nobody looks for by name: the search over all kinds leaves them out. */
  readonly isFound?: false;
}
