/** The words of people and bots on a pull request. Each list is oldest first and holds the newest ones. */
export type Discussion = {
  readonly author: Author | null;
  readonly description: string;
  readonly comments: readonly Statement[];
  readonly reviews: readonly Review[];
  readonly threads: readonly ReviewThread[];
  /** Older comments, reviews and threads that the lists leave out. */
  readonly omitted: number;
};

/** An account; null stands for a deleted one. */
export type Author = {
  /** Null unless it is the account of a person. */
  readonly id: number | null;
  readonly login: string;
  readonly kind: AuthorKind;
};

/** Only a person has access. `app-as-person` is an App that wrote in a person's name; `other` has a login only. */
export type AuthorKind = 'person' | 'bot' | 'app-as-person' | 'other';

/** A text of a person or bot. Times are GitHub's (ISO 8601). */
export type Statement = {
  /** Null for a description and a review. */
  readonly id: number | null;
  /** The review of a comment in a thread; null elsewhere. */
  readonly reviewId: number | null;
  readonly author: Author | null;
  readonly body: string;
  readonly at: string;
  readonly updatedAt: string;
  /** Somebody has hidden it on the page. */
  readonly isHidden: boolean;
};

/** A submitted review; `state` is GitHub's, such as `APPROVED`. */
export type Review = Statement & { readonly state: string };

/** `line` is null for a whole file or an outdated place; `omitted` counts older comments that are left out. */
export type ReviewThread = {
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly comments: readonly Statement[];
  readonly omitted: number;
};
