/** What a declaration says about the pages of its resource; the rest follows from the fields. */
export interface PageMetadata {
  /** The columns of a list; the first one names the object. */
  readonly columns?: readonly string[];
  /** Query parameters that lists for administrators always send. */
  readonly always?: Readonly<Record<string, string>>;
  /** Why the search over all kinds leaves its rows out. Pages offer to search its list instead. */
  readonly notInSearch?: string;
}

/**
 * How pages offer an operation beside the verbs of a resource: by a button on the page of an object or list, or not,
 * with the reason.
 */
export type OperationPage = ButtonPage | { readonly noButton: string };

export interface ButtonPage {
  /** The text of the button. */
  readonly button: string;
  /** The permissions that it takes, if `access` does not say. */
  readonly needs?: readonly string[];
}
