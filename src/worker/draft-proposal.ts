import { type NoSuggestion, type Placement, placeChange } from '../change/placement.ts';
import { type RenderedProposal, renderOpen } from '../render/proposal.ts';
import { aboutRun } from '../render/run-warnings.ts';
import { showsExactly } from '../render/shows-exactly.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Run } from '../run/run.ts';
import type { PullFile } from './ports.ts';

/** An open proposal with the place and the comments it gets on the page. */
export type Draft = {
  readonly proposal: Proposal;
  readonly placement: Placement;
  readonly comments: RenderedProposal;
};

/**
 * What a proposal is drafted on: its run, its file as it is at the head (empty for none), and that file's part of the
 * pull request.
 */
export type Ground = {
  readonly run: Run | null;
  readonly links: RepoLinks;
  readonly baseText: string;
  readonly file: PullFile | undefined;
};

/**
 * The highest rung of the ladder whose comments, read back as GitHub would, show exactly the stored change; null where
 * none does, so that nobody is asked about what cannot be seen.
 */
export function draftProposal(proposal: Proposal, ground: Ground): Draft | null {
  const { change } = proposal;
  const { baseText, file } = ground;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const first = placeChange({ change, baseText, patch: file?.patch ?? null, inPullRequest });
  return (
    draftAt(proposal, first, ground) ?? (first.kind === 'suggestion' ? draftAt(proposal, onFile(first), ground) : null)
  );
}

/** The proposal in this place; null where its comments would not show exactly what is stored. */
export function draftAt(proposal: Proposal, placement: Placement, { run, links, baseText }: Ground): Draft | null {
  const view = { proposal, placement, ...aboutRun(run), links, replacedByUrl: null };
  const comments = renderOpen(view);
  if (comments === null || !showsExactly(comments, { change: proposal.change, placement, baseText })) return null;
  return { proposal, placement, comments };
}

function onFile({ path }: Placement): Placement {
  return { kind: 'file', path, why: 'not-expressible' };
}

/** Why something that was to be a suggestion is none after all: GitHub refused its place. */
export function whyNot(placement: Placement): NoSuggestion {
  return placement.kind === 'suggestion' ? 'not-in-diff' : placement.why;
}
