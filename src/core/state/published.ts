/** GitHub's label of a pull request on which something waits for people. */
export const WAITING_LABEL = 'countersign: waiting';

/** The check run and the label that tell people of pending changes, as the App last left them on GitHub. */
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
  /** Its last list had them. */
  readonly hasButtons: boolean;
};

export const NOTHING_PUBLISHED: Published = { label: false, check: null };

/** The name of the App's check run. */
export const CHECK_RUN_NAME = 'Countersign';

/** A completed check run, as GitHub shows it. Texts are Markdown of at most 65,535 characters. */
export type CheckRunPage = {
  readonly externalId: string;
  readonly detailsUrl: string;
  readonly conclusion: 'success' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  /** Empty for none. */
  readonly text: string;
  /** The buttons. */
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
};

/** A new content of a check run; without `externalId` it keeps its own. */
export type OutdatedCheckRunPage = Omit<CheckRunPage, 'externalId'> & Partial<Pick<CheckRunPage, 'externalId'>>;

export type FoundCheckRun = { readonly id: number; readonly externalId: string; readonly conclusion: string | null };
