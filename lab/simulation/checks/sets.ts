import type { CaseCheck } from './evidence.ts';
import { expectedDigest } from './evidence.ts';

/** S146, V1: every change that was ever stored has the digest of its published definition. */
export const digestsAreOfTheChange: CaseCheck = ({ changes }) =>
  [...changes].flatMap(([name, change]) =>
    expectedDigest(change) === change.digest ? [] : [`S146: ${name} should have the digest ${expectedDigest(change)}`],
  );

/**
 * S146: what reaches the last check before a commit passes it. A refusal there means that an earlier check, for
 * example of a member of a set, did not look.
 */
export const lastCheckRefusesNothing: CaseCheck = ({ finalProposals }) =>
  [...finalProposals].flatMap(([id, { state, note }]) =>
    state === 'failed' && note === 'what is stored is not what was shown' ? [`S146: ${id} was refused at the end`] : [],
  );
