import { singleChange } from '../../../../lab/shared/single-change.ts';
import {
  addAppCommit,
  appCommitsTo,
  type FilesByPath,
  proposalsBeforeCommit,
} from '../../../../src/core/actions/head-assessment.ts';
import { completeByPush, type HeadMove, supersede } from '../../../../src/core/actions/head-moved.ts';
import {
  queueCommentUpdate,
  type StepBuilder,
  withProposal,
  withRun,
} from '../../../../src/core/actions/step-builder.ts';
import { isWholeFileChange, sourcePath } from '../../../../src/core/edits/change.ts';
import { composeFile, type LineRange, regionLine } from '../../../../src/core/edits/region.ts';
import { nearbyLines } from '../../../../src/core/policy/push-impact.ts';
import { assessChange, findAppliedChanges } from '../../../../src/core/policy/staleness.ts';
import type { FileAtHead, NearbyLines } from '../../../../src/core/state/head-changes.ts';
import { headingOf, type Proposal } from '../../../../src/core/state/proposal.ts';

/** The files of open proposals before and after a push. */
type Files = { readonly atBase: FilesByPath; readonly atHead: FilesByPath };

/** Applies a push to one proposal after the other: the expected result of assessing all at once. */
export function stepByStep(draft: StepBuilder, files: Files, at: HeadMove): StepBuilder {
  const open = proposalsBeforeCommit(draft.pull.proposals);
  const moves = open.filter(({ change }) => change.op === 'move');
  const paths = new Set(open.filter((one) => !moves.includes(one)).map(({ change }) => singleChange(change).path));
  const byPath = [...paths].reduce((next, path) => stepOnPath(next, path, files, at), draft);
  return moves.reduce((next, move) => stepOf(next, move, files, at), byPath);
}

function stepOnPath(draft: StepBuilder, path: string, files: Files, at: HeadMove): StepBuilder {
  const before = files.atBase[path] ?? null;
  const now = files.atHead[path] ?? null;
  if (before?.blob === now?.blob && before?.mode === now?.mode) return draft;
  const open = proposalsBeforeCommit(draft.pull.proposals).filter(
    ({ change }) => singleChange(change).path === path && change.op !== 'move',
  );
  const found = findAppliedChanges({
    baseText: before === null ? '' : before.text,
    headText: now === null ? null : now.text,
    changes: open.map(({ change }) => singleChange(change)).filter((change) => !isWholeFileChange(change)),
  });
  const contained =
    found.kind === 'other' ? [] : open.filter(({ change }) => found.applied.includes(singleChange(change)));
  const taken = contained.reduce((next, proposal) => completeByPush(next, proposal, at), draft);
  const owned = contained.length > 0 ? withOwnPush(taken, path, contained, before, now) : taken;
  return open.filter((one) => !contained.includes(one)).reduce((next, one) => stepOf(next, one, files, at), owned);
}

function withOwnPush(
  draft: StepBuilder,
  path: string,
  contained: readonly Proposal[],
  before: FileAtHead | null,
  now: FileAtHead | null,
): StepBuilder {
  const { run } = draft.pull;
  if (run === null || before?.text == null || now === null) return draft;
  const ranges = rangesIn(contained, before, before.text, appCommitsTo(run, path));
  if (ranges === null) return draft;
  const appCommits = addAppCommit(run.appCommits, path, { blobBefore: before.blob, blobAfter: now.blob, ranges });
  return withRun(draft, { appCommits });
}

function rangesIn(
  contained: readonly Proposal[],
  file: FileAtHead,
  text: string,
  appCommits: ReturnType<typeof appCommitsTo>,
): readonly LineRange[] | null {
  const verdicts = contained.map(({ change }) => assessChange({ change: singleChange(change), file, appCommits }));
  const regions = verdicts.flatMap((verdict) => (verdict.kind === 'applies' ? [verdict.region] : []));
  return regions.length === contained.length ? composeFile(text, regions).ranges : null;
}

function movedTo({ head, facts: { now }, pusher }: HeadMove) {
  return { head, now, login: pusher === null || pusher === 'app' ? null : pusher.person.login };
}

function withNearby<Cause extends object>(
  cause: Cause,
  nearby: readonly NearbyLines[],
): Cause & { nearby?: readonly NearbyLines[] } {
  return nearby.length === 0 ? cause : { ...cause, nearby };
}

function stepOf(draft: StepBuilder, proposal: Proposal, { atHead }: Files, at: HeadMove): StepBuilder {
  const change = singleChange(proposal.change);
  const source = atHead[sourcePath(change)] ?? null;
  const appCommits = appCommitsTo(draft.pull.run, change.path);
  const verdict = assessChange({ change, file: atHead[change.path] ?? null, source, appCommits });
  switch (verdict.kind) {
    case 'already-applied':
      return completeByPush(draft, proposal, at);
    case 'stale':
      return supersede(
        draft,
        proposal,
        withNearby(verdict, nearbyLines(change, atHead[change.path] ?? null)),
        movedTo(at),
      );
    case 'applies': {
      if (change.region === null) return draft;
      const line = regionLine(verdict.region);
      const { heading } = verdict;
      const movesLine = line !== (proposal.currentLine ?? regionLine(change.region));
      const movesHeading = heading !== undefined && heading !== headingOf(proposal);
      if (movesHeading && asksForOthers(at))
        return supersede(draft, proposal, { isBelowOtherHeading: true }, movedTo(at));
      if (!movesLine && !movesHeading) return draft;
      const moved = {
        ...proposal,
        ...(movesLine ? { currentLine: line } : {}),
        ...(movesHeading ? { currentHeading: { text: heading } } : {}),
      };
      return queueCommentUpdate(withProposal(draft, moved), proposal);
    }
  }
}

function asksForOthers({ facts: { settings } }: HeadMove): boolean {
  if (settings?.kind !== 'settings') return true;
  const { requireNonAuthor, requireNonRequester, requiredApprovals } = settings.settings;
  return [requireNonAuthor, requireNonRequester, requiredApprovals > 1].includes(true);
}
