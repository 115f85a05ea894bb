import type { PlayedCase } from '../case.ts';
import { answersAreStored, commandsAreAnswered, commentsStandOnce, decisionsShow, endsShow } from './answers.ts';
import { approversMayWrite, commitsAreApproved, commitsComeOnce } from './commits.ts';
import { absentDenialsHold, denialsHold, doubtsHold } from './denials.ts';
import { type Check, gatherEvidence } from './evidence.ts';
import { idsNameOneProposal, wordsAreForgotten } from './forgotten.ts';
import { forksStayUntouched } from './forks.ts';
import { absencesAreHeard, whatWasSaidIsHeard } from './heard.ts';
import { ledgerExplains } from './ledger.ts';
import { nothingIsLost } from './lost.ts';
import { wordsStayWords } from './markdown.ts';
import { notesAreTold, reviewsLetGo, threadsAreResolved } from './page.ts';
import { removalIsFinal, removalIsHeard } from './removed.ts';
import { answersStand } from './replies.ts';
import {
  allIsDone,
  expiryComesLast,
  holdersWriteAlone,
  nothingWaitsForEver,
  statesFollowTheTable,
  waitingHasItsReason,
  wordsCountOnce,
} from './storage.ts';

/** Everything that holds in every case, whatever happens. */
const CHECKS: readonly Check[] = [
  commitsAreApproved,
  commitsComeOnce,
  forksStayUntouched,
  approversMayWrite,
  denialsHold,
  absentDenialsHold,
  doubtsHold,
  removalIsFinal,
  removalIsHeard,
  decisionsShow,
  endsShow,
  reviewsLetGo,
  threadsAreResolved,
  notesAreTold,
  answersStand,
  commentsStandOnce,
  commandsAreAnswered,
  answersAreStored,
  nothingIsLost,
  wordsStayWords,
  allIsDone,
  wordsAreForgotten,
  idsNameOneProposal,
  nothingWaitsForEver,
  waitingHasItsReason,
  expiryComesLast,
  holdersWriteAlone,
  whatWasSaidIsHeard,
  absencesAreHeard,
  wordsCountOnce,
  statesFollowTheTable,
];

/** What is wrong in a case that was played, in words; empty where nothing is. */
export async function checkCase(played: PlayedCase): Promise<readonly string[]> {
  const evidence = gatherEvidence(played, await played.database.remains());
  return [...CHECKS.flatMap((check) => check(evidence)), ...(await ledgerExplains(evidence))];
}
