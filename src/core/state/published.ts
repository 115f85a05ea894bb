/** GitHub's label of a pull request on which something waits for people. */
export const WAITING_LABEL = 'countersign: waiting';

/** What GitHub shows of what waits on a pull request, as the App last left it. */
export type Published = {
  /** The App put the label there, or found it there while something waited. */
  readonly label: boolean;
  /** The newest check run of this pull request; null if there is none. */
  readonly check: PublishedCheck | null;
};

/** A check run of the App about one list of pending changes at one head. */
export type PublishedCheck = {
  readonly id: number;
  readonly head: string;
  /** The digest of its list; empty for a run that says that nothing waits. */
  readonly digest: string;
  readonly hasButtons: boolean;
};

export const NOTHING_PUBLISHED: Published = { label: false, check: null };
