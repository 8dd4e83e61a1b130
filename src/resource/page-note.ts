/** What a declaration says about the pages of its resource; the rest follows from the fields. */
export interface PageNote {
  /** The columns of a list; the first one names the object. */
  readonly columns?: readonly string[];
  /** Query parameters that lists for administrators always send. */
  readonly always?: Readonly<Record<string, string>>;
  /** False excludes the records from the search over all kinds. */
  readonly isFound?: false;
}
