/** Why a delivery means nothing to us, from its bytes alone: exactly one for each, the same word in log, metric and docs. */
export const IGNORE_REASONS = [
  /** We do not read this event, or not this action of it. */
  'unknown-event',
  'unknown-action',
  /** A field that we need is missing or is not what GitHub documents. */
  'malformed',
  'no-installation',
  /** A comment on an issue. */
  'not-a-pull-request',
  /** Nobody is named, as for a deleted account. */
  'no-actor',
  /** We did it ourselves. */
  'own-event',
  'bot',
  /** An organisation, a placeholder or a kind of account that we do not know. */
  'not-a-person',
  /** An App wrote it in a person's name. */
  'via-app',
  /** The writer is not who sent it. */
  'another-hand',
  /** A review without a body: its comments come by themselves. */
  'empty-review',
  /** An edit of a comment that left no command and no address to us, or of a pull request that goes where it went. */
  'harmless-edit',
  /** Somebody else's review was dismissed. */
  'not-our-review',
  /** The installation may do as much as it must. */
  'access-stands',
  /** A command for somebody else. */
  'other-command',
  /** Plain words that answer nothing of ours. */
  'not-addressed',
] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];
